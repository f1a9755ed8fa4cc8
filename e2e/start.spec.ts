import { closeSync, existsSync, openSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { freePort, onLoopback } from '../src/free-port.test-support.ts'
import { expect, test } from './sightline.ts'

test('errors in the configuration stop the start, all in one message', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['dist/server/main.js', '--colour=red', '--import=x'],
    {
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        SIGHTLINE_PORT: 'web',
        SIGHTLINE_HOST: '0.0.0.0',
        SIGHTLINE_BUILD_DATA_URL: 'https://user:canary@builds.example.com',
      },
    },
  )
  expect(status).toBe(2)
  expect(stderr).toContain('SIGHTLINE_PORT is "web" but must be a whole number from 0 to 65535.')
  expect(stderr).toContain("--colour isn't a setting.")
  expect(stderr).toContain("--import isn't a setting.")
  expect(stderr).toContain(
    'SIGHTLINE_BUILD_DATA_URL must be a URL without a user name and password',
  )
  expect(stderr).not.toContain('canary')
})

test('--import without a recording says what it needs', () => {
  const env = { PATH: process.env.PATH }
  const { status, stderr } = spawnSync(
    process.execPath,
    ['dist/server/main.js', 'embedded', '--import'],
    { encoding: 'utf8', env },
  )
  expect([status, stderr]).toEqual([
    2,
    '--import needs the path of a recording, such as recording.jsonl.\n',
  ])
})

test('--import of a file that is not there, or that is a folder, says which and where to look', () => {
  for (const [file, code] of [
    ['gone.jsonl', 'ENOENT'],
    ['dist', 'EISDIR'],
  ] as const) {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['dist/server/main.js', 'embedded', '--import', file],
      {
        encoding: 'utf8',
        env: {
          PATH: process.env.PATH,
          SIGHTLINE_DATABASE_URL: 'memory:',
          SIGHTLINE_EMBEDDED_PORT: '0',
          SIGHTLINE_EMBEDDED_BUILDS: '0',
        },
      },
    )
    expect([status, stderr]).toEqual([
      1,
      `Can't import ${file}: the file can't be read (${code}). Check the path after --import.\n`,
    ])
  }
})

test('a fault that nobody caught is logged without the URL that caused it, and its password', () => {
  const fault = `setInterval(() => process.listenerCount('uncaughtException') > 0 && new URL('postgres://u:' + ['can', 'ary'].join('') + '@/x'), 10)`
  const { status, stderr } = spawnSync(
    process.execPath,
    [`--import=data:text/javascript,${encodeURIComponent(fault)}`, 'dist/server/main.js'],
    {
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        SIGHTLINE_PORT: '0',
        SIGHTLINE_DATABASE_URL: 'memory:',
        SIGHTLINE_EMBEDDED_BUILDS: '0',
      },
    },
  )
  expect(status).toBe(1)
  expect(stderr).toContain('Sightline stopped because of an unexpected fault')
  expect(stderr).toContain('Invalid URL')
  expect(stderr).not.toContain('canary')
})

test('a port in use is said in one sentence', ({ url }) => {
  const { status, stderr } = spawnSync(process.execPath, ['dist/server/main.js'], {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      SIGHTLINE_PORT: new URL(url).port,
      SIGHTLINE_DATABASE_URL: 'memory:',
      SIGHTLINE_EMBEDDED_BUILDS: '0',
    },
  })
  expect(status).toBe(1)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stderr).toContain('SIGHTLINE_PORT')
})

test('--check says how everything configured stands, and leaves nothing behind', async () => {
  const healthy = createServer((request, response) => {
    if (request.url?.startsWith('/build-export/v2/') !== true) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': beat\n\n')
  })
  const { url, close } = await onLoopback(healthy)
  const database = test.info().outputPath('none', 'sightline.db')
  const check = async (settings: Record<string, string>) => {
    const child = spawn(process.execPath, ['dist/server/main.js', '--check'], {
      env: { PATH: process.env.PATH, SIGHTLINE_DATABASE_URL: `file:${database}`, ...settings },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => (output += bytes.toString()))
    }
    await once(child, 'close')
    return [child.exitCode, output.trim().split('\n')] as const
  }
  const reachable = `Build server ${url}: reachable, export stream v2. The build server has no build list, or Sightline's user lacks the permission "Access build data via the API", so details come from each build's events.`
  const [code, lines] = await check({ SIGHTLINE_BUILD_DATA_URL: url })
  expect([code, lines[0], lines.at(-1)]).toEqual([0, reachable, 'Status: Everything is working.'])
  expect(lines).toContain(
    '  Permission: Export API is granted (for builds as they arrive, and the events of each build).',
  )
  expect(lines).toContain('Database: It is created with the first start.')
  const both = { SIGHTLINE_BUILD_DATA_URL: url, SIGHTLINE_GOVERNOR_URL: 'http://127.0.0.1:1' }
  const [failed, said] = await check(both)
  const refused = 'The policy service refused the connection.'
  expect([failed, said[0]]).toEqual([1, reachable])
  expect(said.find((line) => line.startsWith('Policy service http://127.0.0.1:1: '))).toContain(
    refused,
  )
  expect(said.at(-1)).toContain(`Status: ${refused}`)
  expect(existsSync(join(database, '..'))).toBe(false)
  await close()
})

test('it prints one address, keeps to one origin, and ends cleanly on SIGTERM', async ({
  sightline,
  request,
}) => {
  const product = await sightline()
  expect(product.output().trim()).toBe(`Sightline is running at ${product.url}`)
  const page = await request.get(product.url)
  const policy = page.headers()['content-security-policy'] ?? ''
  expect(policy).toContain("script-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe-inline')
  expect(policy).not.toContain('unsafe-eval')
  // A browser that translates takes away the text nodes that numbers are written to.
  expect(await page.text()).toContain('<html lang="en" translate="no">')
  expect((await request.get(`${product.url}/healthz`)).status()).toBe(200)
  for (const path of [
    '/config',
    '/readyz',
    '/metrics',
    '/live/builds',
    '/upstream/build-data/api/builds',
  ]) {
    expect((await request.get(product.url + path)).status(), path).toBe(401)
  }
  expect(await product.stop()).toBe(0)
})

test('where nothing that it prints can be written, it serves all the same', async () => {
  test.skip(!existsSync('/dev/full'), 'without /dev/full')
  const full = openSync('/dev/full', 'w')
  const port = await freePort()
  const child = spawn(process.execPath, ['dist/server/main.js'], {
    env: {
      PATH: process.env.PATH,
      SIGHTLINE_PORT: String(port),
      SIGHTLINE_DATABASE_URL: 'memory:',
      SIGHTLINE_EMBEDDED_BUILDS: '0',
      SIGHTLINE_LOG_LEVEL: 'debug',
    },
    stdio: ['ignore', full, full],
  })
  const ended = once(child, 'exit')
  const statusOf = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method }).catch(
      () => undefined,
    )
    return response?.status
  }
  await expect.poll(() => statusOf('/healthz')).toBe(200)
  expect(await statusOf('/session', 'POST')).toBe(200)
  expect(await statusOf('/config')).toBe(401)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  closeSync(full)
})

test('demo data is called so on every page, with the way to a real server', async ({
  page,
  url,
}) => {
  for (const path of ['/', '/builds', '/packages', '/board', '/publish', '/decode', '/activity']) {
    await page.goto(`${url}${path}`)
    await expect(page.getByText('Demo data').first()).toBeVisible()
    await expect(page.getByRole('link', { name: /Connect your server/ })).toBeVisible()
  }
  await page.goto(`${url}/wall`)
  await expect(page.getByText('Demo data')).toBeVisible()
  await page.getByRole('link', { name: 'Connect your server' }).click()
  await expect(page.getByRole('heading', { name: 'Connect your server' })).toBeInViewport()
  await expect(page.getByText('SIGHTLINE_BUILD_DATA_URL=')).toBeVisible()
})

test('next to a policy service no builds are made up: the pages of builds say how to connect a server', async ({
  page,
  sightline,
}) => {
  const service = createServer((_, response) => response.writeHead(404).end())
  const governor = await onLoopback(service)
  const { url } = await sightline({ SIGHTLINE_GOVERNOR_URL: governor.url })
  for (const path of ['/', '/builds', '/builds/k3j7aaaaa7a4c', '/wall']) {
    await page.goto(`${url}${path}`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      'No build server is connected.',
    )
    await expect(page.getByText('SIGHTLINE_BUILD_DATA_URL')).toBeVisible()
    await expect(page.getByText('Demo data')).toHaveCount(0)
  }
  await page.goto(`${url}/status`)
  await expect(page.getByRole('banner').getByText(new URL(governor.url).host)).toBeVisible()
  await expect(page.getByText('SIGHTLINE_BUILD_DATA_ACCESS_KEY=')).toBeVisible()
  await governor.close()
})
