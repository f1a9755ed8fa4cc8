import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPermissions } from './credentials.ts'
import { accessKey, serveAll } from './serving.test-support.ts'

// Bodies as clients may send them (RFC 9112 section 6), on a socket, by a client that shares no code.

let server: Awaited<ReturnType<typeof serveAll>>
beforeAll(async () => {
  const ada = { user: 'ada', accessKey, permissions: allPermissions }
  server = await serveAll(1_000_000, [ada])
})
afterAll(() => server.close())

const scan = '/packages/oci/checkout/1/policy-scans/release'
const publication = '/packages/oci/checkout/1/attestations'
const intake = '/embedded/builds'
const sha256 = '4f2f6cf1c1b5a3b8d1d4b7ce0aa6a3e9f9a0a3d6e7c1b2a4958f0e1d2c3b4a59'
const criteria = JSON.stringify({ sha256, repositoryUrl: 'registry.example.com/shop' })
const build = JSON.stringify({
  build: { toolType: 'gradle', toolVersion: '9.2', agentVersion: '4.1' },
})

/** Sends the parts of a body one by one, in chunks, or with the headers given. */
function post(
  path: string,
  parts: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, server.url), {
      method: 'POST',
      headers: {
        Authorization: 'Bearer key-of-ada',
        'Content-Type': 'application/json',
        ...headers,
      },
    })
    sent.on('response', (response) => {
      response.resume()
      response.on('end', () => {
        resolve(response.statusCode)
      })
    })
    sent.on('error', reject)
    sent.flushHeaders()
    for (const part of parts) sent.write(part)
    sent.end()
  })
}

test.each([
  ['an evaluation', scan, criteria, 200],
  ['a publication', publication, criteria, 200],
  ['a build', intake, build, 201],
])('%s is read in chunks, streamed, and with a length', async (_, path, body, status) => {
  const letters = Array.from(body)
  expect(await post(path, [body])).toBe(status)
  expect(await post(path, letters)).toBe(status)
  expect(await post(path, [body], { 'Content-Length': String(body.length) })).toBe(status)
  const init = {
    method: 'POST',
    headers: { Authorization: 'Bearer key-of-ada', 'Content-Type': 'application/json' },
    body: new Blob(letters).stream(),
    duplex: 'half',
  }
  const streamed = await fetch(new URL(path, server.url), init)
  expect(streamed.status).toBe(status)
})

test.each([
  ['an evaluation', scan],
  ['a publication', publication],
  ['a build', intake],
])('%s without a body is a bad request', async (_, path) => {
  expect(await post(path, [])).toBe(400)
  expect(await post(path, [], { 'Content-Length': '0' })).toBe(400)
  const none = await fetch(new URL(path, server.url), {
    method: 'POST',
    headers: { Authorization: 'Bearer key-of-ada' },
  })
  expect(none.status).toBe(400)
})

test('a body over the limit is refused, whether or not it says how long it is', async () => {
  const large = 'x'.repeat(1024 * 1024)
  expect(await post(scan, [large, 'x'])).toBe(400)
  expect(await post(scan, [large, 'x'], { 'Content-Length': String(large.length + 1) })).toBe(400)
})
