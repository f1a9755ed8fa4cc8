import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exchangeRaw, openRaw } from '../raw-request.test-support.ts'
import { readStaticFiles } from './static-files.ts'
import { type ProxyOnSocket, startProxyOnSocket } from './proxy-on-socket.test-support.ts'

const script = 'console.log("hello");'.repeat(200)
const index = `<!doctype html><meta property="csp-nonce" nonce="__CSP_NONCE__"><script type="module" nonce="__CSP_NONCE__" src="/assets/main-1a2B_c-d.js"></script><!-- preloads -->`
const preloads = [
  { path: '/', files: ['assets/feed.js'] },
  { path: '/builds/:buildId', files: ['assets/build.js', 'assets/build.css'] },
]

let root: string
let proxy: ProxyOnSocket
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'sightline-pages-'))
  const client = join(root, 'client')
  mkdirSync(join(client, 'assets', '.hidden'), { recursive: true })
  const files: Record<string, string | Buffer> = {
    'index.html': index,
    'preloads.json': JSON.stringify(preloads),
    'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'assets/main-1a2B_c-d.js': script,
    'assets/1YF23NhW.js': script,
    'assets/main-1a2B_c-d.js.br': brotliCompressSync(script),
    'assets/main-1a2B_c-d.js.gz': gzipSync(script),
    'assets/main-1a2B_c-d.js.map': '{"sources":["secret"]}',
    'assets/.hidden/x.js': 'secret',
    'assets/noise.exe': 'secret',
    '.env': 'secret',
    '../package.json': 'secret',
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(client, name), content)
  symlinkSync(join(root, 'package.json'), join(client, 'link.json'))
  symlinkSync(root, join(client, 'assets', 'up'))
  proxy = await startProxyOnSocket({}, { files: readStaticFiles(client) })
  writeFileSync(join(client, 'assets', 'late.js'), 'secret')
})
afterAll(async () => {
  await proxy.close()
  rmSync(root, { recursive: true })
})

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${proxy.url}${path}`, { headers })
}

describe('the page', () => {
  test.each([
    '/',
    '/builds?q=project:x',
    '/builds/k3j7a2b9c4d5e',
    '/packages/oci/acme/app/1.2.3/policy-scans/release',
    '/packages/npm/%40acme%2Fx/a.js/1.0',
  ])('is served without a session at %s', async (path) => {
    const response = await get(path, { accept: 'text/html', 'sec-fetch-site': 'cross-site' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  test('carries a nonce of its own each time, in its policy and where the build left the place for it', async () => {
    const nonces = new Set<string>()
    for (let round = 0; round < 3; round++) {
      const response = await get('/')
      const policy = response.headers.get('content-security-policy') ?? ''
      const nonce = /style-src 'self' 'nonce-([\w+/=]{20,})'/.exec(policy)?.[1] ?? ''
      nonces.add(nonce)
      const text = await response.text()
      expect(text.split(`nonce="${nonce}"`)).toHaveLength(3)
      expect(text).not.toContain('__CSP_NONCE__')
    }
    expect(nonces.size).toBe(3)
  })

  test.each([
    ['/', ['/assets/feed.js']],
    ['/builds/k3j7a2b9c4d5e', ['/assets/build.js', '/assets/build.css']],
    ['/builds', []],
    ['/builds/k3j7a2b9c4d5e/x', []],
  ])(
    'names the files that are drawn at %s, so that they are requested at once',
    async (path, files) => {
      const text = await (await get(path)).text()
      const links = [...text.matchAll(/<link rel="(\w+)"[^>]* href="([^"]+)">/g)]
      expect(links.map(([, , href]) => href)).toEqual(files)
      for (const [, rel, href] of links) {
        expect(rel).toBe(href?.endsWith('.js') === true ? 'modulepreload' : 'preload')
      }
      expect(text).not.toContain('<!--')
    },
  )

  test('has a strict policy and the headers that go with it', async () => {
    const { headers } = await get('/')
    const policy = headers.get('content-security-policy') ?? ''
    for (const part of [
      "script-src 'self';",
      "connect-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "require-trusted-types-for 'script'; trusted-types default",
    ]) {
      expect(policy).toContain(part)
    }
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('permissions-policy')).toContain('camera=()')
  })

  test('is not what programs get that request data', async () => {
    expect((await get('/builds', { accept: 'application/json' })).status).toBe(404)
  })
})

describe('a file of the build', () => {
  test('is cached forever where its name changes with its content, and revalidated elsewhere', async () => {
    const hashed = await get('/assets/main-1a2B_c-d.js')
    expect(await hashed.text()).toBe(script)
    expect(hashed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(hashed.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    const nameless = await get('/assets/1YF23NhW.js')
    expect(nameless.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const icon = await get('/icon.svg')
    expect(icon.headers.get('cache-control')).toBe('no-cache')
    const etag = icon.headers.get('etag') ?? ''
    const again = await get('/icon.svg', { 'if-none-match': etag })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  test('may load other parts of the build where it is a script, as workers do, and nothing else', async () => {
    const script = await get('/assets/main-1a2B_c-d.js')
    expect(script.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; frame-ancestors 'none'",
    )
    const icon = await get('/icon.svg')
    expect(icon.headers.get('content-security-policy')).toBe(
      "default-src 'none'; frame-ancestors 'none'",
    )
  })

  test.each([
    ['br', 'gzip, deflate, br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ] as const)('comes as %s to who accepts %s', async (encoding, accepted, decompress) => {
    const answer = await exchangeRaw(
      proxy.port,
      `GET /assets/main-1a2B_c-d.js HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ${accepted}\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toContain(`content-encoding: ${encoding}`)
    expect(answer).toContain('vary: Accept-Encoding')
    const body = Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1')
    expect(body.length).toBeLessThan(200)
    expect(decompress(body).toString()).toBe(script)
  })

  test('comes whole for a range request, and without its body for HEAD', async () => {
    const range = await get('/assets/main-1a2B_c-d.js', { range: 'bytes=0-3' })
    expect([range.status, (await range.text()).length]).toEqual([200, script.length])
    const head = await fetch(`${proxy.url}/icon.svg`, {
      method: 'HEAD',
      headers: { 'accept-encoding': 'identity' },
    })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '41'])
  })
})

test('the page comes zipped to whoever accepts that', async () => {
  const response = await get('/', { accept: 'text/html', 'accept-encoding': 'gzip' })
  expect(response.headers.get('content-encoding')).toBe('gzip')
  expect(await response.text()).toContain('main-1a2B_c-d.js')
})

describe('what is no file of the build is not served', () => {
  test.each([
    '/assets/..%2f..%2fpackage.json',
    '/assets/../../package.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/main-1a2B_c-d.js%00',
    '/assets\\main-1a2B_c-d.js',
    '//assets/main-1a2B_c-d.js',
  ])('%s is refused as an address', async (path) => {
    const answer = await exchangeRaw(proxy.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
  })

  test.each([
    '/.env',
    '/package.json',
    '/link.json',
    '/assets/up/package.json',
    '/assets/main-1a2B_c-d.js.map',
    '/assets/main-1a2B_c-d.js.br',
    '/assets/.hidden/x.js',
    '/assets/noise.exe',
    '/assets/late.js',
    '/assets/MAIN-1a2B_c-d.js',
    '/assets/',
    '/index.html',
    '/INDEX.HTML',
    '/preloads.json',
    '/__proto__.js',
    '/favicon.ico',
  ])('%s is not found', async (path) => {
    const response = await get(path, { accept: 'text/html,*/*' })
    expect(response.status).toBe(404)
    expect(await response.text()).not.toContain('secret')
  })

  test('and the connection stays usable after a file that is not there', async () => {
    const connection = openRaw(proxy.port)
    connection.write(
      'GET /x.js HTTP/1.1\r\nHost: localhost\r\n\r\nGET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n',
    )
    expect(await connection.until(/<svg/)).toMatch(/^HTTP\/1.1 404 /)
    connection.socket.destroy()
  })
})
