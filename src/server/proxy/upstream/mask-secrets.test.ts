import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import { answering } from '../plain-server.test-support.ts'
import {
  canary,
  canaryAccount,
  type ProxyOnSocket,
  startProxyOnSocket,
} from '../proxy-on-socket.test-support.ts'
import { formsOf, maskSecrets, withoutSecrets } from './mask-secrets.ts'

async function maskedText(pieces: readonly Uint8Array[], secrets: readonly string[]) {
  async function* source() {
    for (const piece of pieces) {
      await Promise.resolve()
      yield piece
    }
  }
  const forms = formsOf(secrets)
  const out: Uint8Array[] = []
  for await (const piece of maskSecrets(source(), () => forms)) out.push(piece)
  return { text: Buffer.concat(out).toString('utf8'), out }
}

test('a secret is masked wherever the bytes are cut, and nothing else changes', async () => {
  const secrets = ['canary-key', 'Y2FuYXJ5LWtleQ==', 'aaab', 'é🙂-secret']
  const part = fc.constantFrom(...secrets, 'canary', 'a', 'aa', 'é', '\n', '🙂', 'x')
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { maxLength: 12 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      async (parts, cuts) => {
        const bytes = Buffer.from(parts.join(''))
        const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort(
          (a, b) => a - b,
        )
        const pieces = [0, ...places].map((from, index) =>
          bytes.subarray(from, places[index] ?? bytes.length),
        )
        const { text } = await maskedText(pieces, secrets)
        for (const secret of secrets) expect(text).not.toContain(secret)
        expect(Buffer.byteLength(text)).toBe(bytes.length)
        const whole = await maskedText([bytes], secrets)
        expect(text).toBe(whole.text)
      },
    ),
    { numRuns: runs(500) },
  )
})

test('only what may be the beginning of a secret is held back', async () => {
  const pieces = ['data: 1\n\n', 'data: can', 'ary-key\n\n', 'can'].map((text) => Buffer.from(text))
  const { out } = await maskedText(pieces, ['canary-key'])
  expect(out.map(String)).toEqual(['data: 1\n\n', 'data: ', '[secret]**\n\n', 'can'])
})

const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const hex = (character: string): string => character.charCodeAt(0).toString(16)

/** How a secret is written, and how many characters of that may stay. */
const writers: readonly (readonly [string, (text: string) => string, number])[] = [
  ['as it is', (text) => text, 0],
  ['by Gson', (text) => text.replace(/[<>&=']/g, (character) => `\\u00${hex(character)}`), 0],
  [
    'by System.Text.Json',
    (text) => text.replace(/[<>&+'`]/g, (character) => `\\u00${hex(character).toUpperCase()}`),
    0,
  ],
  ['with escaped slashes', (text) => text.replaceAll('/', '\\/'), 0],
  ['as a form', (text) => new URLSearchParams({ q: text }).toString(), 'q='.length],
  ['percent-encoded', encodeURIComponent, 0],
  [
    'percent-encoded in small letters',
    (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
    0,
  ],
  ['in HTML', (text) => text.replace(/[<>&]/g, (character) => named[character] ?? ''), 0],
  [
    'by Mustache',
    (text) =>
      text.replace(
        /[<>&=/]/g,
        (character) => named[character] ?? `&#x${hex(character).toUpperCase()};`,
      ),
    0,
  ],
  ...['', 'a', 'ab', 'Authorization: Bearer '].flatMap((before) =>
    ['', 'z', ' HTTP/1.1'].flatMap((after) =>
      (['base64', 'base64url'] as const).map(
        (encoding) =>
          [
            `as ${encoding} between "${before}" and "${after}"`,
            (text: string) => Buffer.from(before + text + after).toString(encoding),
            // Two bytes at each end of a secret share four characters with their neighbors.
            before.length + after.length === 0
              ? 0
              : ((before.length + after.length + 4) * 4) / 3 + 4,
          ] as const,
      ),
    ),
  ),
]

test.each(writers)(
  'a secret written %s is masked, however it is cut',
  async (_how, write, rest) => {
    for (const secret of ['c4n/ry+t0k3n<x>&q==', 'cd4n/ry+t0k3n>>>???&q=']) {
      for (const size of [1, 7, 1_000]) {
        const bytes = Buffer.from(`{"a":"${write(secret)}"}`)
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        )
        const { text } = await maskedText(pieces, [secret])
        const masked = /\[secret\]\**/.exec(text)?.[0].length ?? 0
        expect(text).toHaveLength(bytes.length)
        expect(text.length - masked).toBeLessThanOrEqual('{"a":""}'.length + rest)
      }
    }
  },
)

test.each(['', 'x', 'xy'])(
  'a header of HTTP Basic is masked within base64 behind "%s", as an attestation holds it',
  async (before) => {
    const secret = 'robot:g0vPa55w0rdQ'
    const header = `${before}Authorization: Basic ${btoa(secret)} HTTP/1.1`
    const { text } = await maskedText([Buffer.from(btoa(header))], [secret])
    const left = Buffer.from(text.replaceAll(/[[\]*]/g, 'A'), 'base64').toString('latin1')
    // Some characters at its ends are no secret, but share theirs with what stands around.
    expect(left).not.toContain(btoa(secret).slice(3, -3))
    expect(text).toContain('[secret]')
  },
)

test('a secret is masked whichever of its characters are escaped, and how, in bytes and in texts', async () => {
  const escapes: readonly ((character: string) => string)[] = [
    (c) => c,
    encodeURIComponent,
    (c) => `%${hex(c)}`,
    (c) => `\\u00${hex(c).toUpperCase()}`,
    (c) => `\\${c}`,
    (c) => `&#${String(c.charCodeAt(0))};`,
    (c) => `&amp;#x${hex(c)};`,
    (c) => named[c] ?? c,
  ]
  const secret = 'c4n/ry+t0k3n<\\x>&q%=='
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(secret, Buffer.from(secret).toString('base64')),
      fc.array(fc.constantFrom(...escapes), { minLength: 32, maxLength: 32 }),
      fc.nat(40),
      async (text, how, at) => {
        const written = text.replace(/[^\da-z]/gi, (c, index: number) => how[index]?.(c) ?? c)
        const bytes = Buffer.from(`"${written}"`)
        const masked = await maskedText([bytes.subarray(0, at), bytes.subarray(at)], [secret])
        expect(masked.text).toMatch(/^"\[secret\]\**"$/)
        expect(masked.text).toHaveLength(bytes.length)
        expect(withoutSecrets(`"${written}"`, formsOf([secret]), () => '-')).toBe('"-"')
      },
    ),
    { numRuns: runs(1_000) },
  )
})

test('a text without a secret stays as it is, also where it ends within a character', () => {
  const text = 'caf\u00e9 \ud83d'
  expect(withoutSecrets(text, formsOf(['canary-key']), () => '-')).toBe(text)
})

let proxy: ProxyOnSocket | undefined
afterEach(() => proxy?.close())

const json = { 'content-type': 'application/json' }
const spellings = [
  canary,
  Buffer.from(canary).toString('base64'),
  canaryAccount.split(':')[1] ?? '',
]

test.each([
  ['as it is', json, (text: string): string | Buffer => text],
  ['in gzip', { ...json, 'content-encoding': 'gzip' }, (text: string) => gzipSync(text)],
])(
  'a list that echoes the credential shows it to no browser, written %s',
  async (_how, headers, write) => {
    const echo = JSON.stringify([{ id: 'x', note: spellings.join(' '), more: 'kept' }])
    proxy = await startProxyOnSocket({ buildData: answering(200, headers, write(echo)) })
    const response = await proxy.ask('/upstream/build-data/api/builds?since=0')
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(text).toContain('"more":"kept"')
    for (const spelling of [canary, Buffer.from(canary).toString('base64')]) {
      expect(text).not.toContain(spelling)
    }
    expect(text).toHaveLength(echo.length)
  },
)

test('nor does a history keep it, nor a header reveal it', async () => {
  const [user, password = ''] = canaryAccount.split(':')
  const echo = `{"status":"satisfied","policyUri":"/policies/A/${password}"}\n`
  proxy = await startProxyOnSocket({
    governor: answering(
      200,
      { 'content-type': 'application/x-ndjson', etag: `"${password}"` },
      echo,
    ),
  })
  const response = await proxy.ask('/upstream/governor/packages/oci/app/1/policy-scans/release', {
    method: 'POST',
    headers: json,
    body: '{}',
  })
  const shown = JSON.stringify([...response.headers]) + (await response.text())
  expect(user).toBe('robot')
  expect(shown).toContain('/policies/A/[secret]')
  expect(shown).not.toContain(password)
})
