import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  canary,
  canaryAccount,
  type ProxyOnSocket,
  startProxyOnSocket,
} from './proxy-on-socket.test-support.ts'
import type { ReceivedRequest } from './plain-server.test-support.ts'
import type { ServerResponse } from 'node:http'

/** Everything that has left the proxy for a browser or a log. */
const shown: string[] = []
const spellings = [
  canary,
  canaryAccount,
  canaryAccount.slice(canaryAccount.indexOf(':') + 1),
].flatMap((secret) => [
  secret,
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  encodeURIComponent(secret),
])

/** An upstream that shows the credential wherever it can. */
function leak(request: ReceivedRequest, response: ServerResponse): void {
  const secret = request.headers.authorization ?? ''
  const [, status = '500', kind = '0'] = /since=(\d{3})\d*&maxBuilds=(\d)/.exec(request.url) ?? []
  const bare = secret.replace(/^\w+ /, '')
  const decoded = secret.startsWith('Basic ') ? Buffer.from(bare, 'base64').toString() : bare
  const text = `${secret} ${bare} ${decoded} ${Buffer.from(decoded).toString('base64')}`
  const types = ['application/problem+json', 'application/json', 'text/html', 'text/plain']
  response.writeHead(Number(status), {
    'content-type': types[Number(kind)] ?? 'application/problem+json',
    'www-authenticate': `Bearer ${text}`,
    'set-cookie': `a=${encodeURIComponent(text)}`,
    'x-debug': text,
    location: `https://x.example/?${encodeURIComponent(text)}`,
    etag: '"x"',
  })
  response.end(
    JSON.stringify({
      title: text,
      status: 400,
      detail: text,
      instance: text,
      [text]: [{ text }],
      trace: text,
    }),
  )
}

let proxy: ProxyOnSocket
beforeAll(async () => {
  proxy = await startProxyOnSocket({ buildData: leak, governor: leak })
})
afterAll(() => proxy.close())

async function show(path: string, init: RequestInit = {}): Promise<number> {
  const response = await proxy.ask(path, { redirect: 'manual', ...init })
  shown.push(`${path} ${JSON.stringify([...response.headers])} ${await response.text()}`)
  return response.status
}

describe('an upstream that shows the credential in all it says shows it to nobody', () => {
  const statuses = [301, 302, 400, 401, 403, 404, 409, 418, 422, 429, 500, 502, 503]
  test.each(statuses.flatMap((status) => [0, 1, 2, 3].map((kind) => [status, kind] as const)))(
    'by status %i and type %i',
    async (status, kind) => {
      expect(
        await show(`/upstream/build-data/api/builds?since=${status}&maxBuilds=${kind}`),
      ).toBeGreaterThanOrEqual(400)
    },
  )

  test('nor through the other upstream, health, metrics or the configuration', async () => {
    const headers = { 'content-type': 'application/json' }
    await show('/upstream/governor/packages/oci/app/1/policy-scans/x', {
      method: 'POST',
      headers,
      body: '{}',
    })
    for (const path of ['/readyz', '/healthz', '/metrics', '/config', '/nothing', '/'])
      await show(path)
    await proxy.buildData.close()
    await proxy.governor.close()
    await show('/upstream/build-data/api/version')
    await show('/upstream/governor/packages/oci/app/1/policy-scans/x', {
      method: 'POST',
      headers,
      body: '{}',
    })
    proxy.clock.advance(60_000)
    await show('/readyz')
  })

  test('in no answer, header, metric or line of the log', () => {
    const all = [...shown, ...proxy.log].join('\n')
    expect(shown.length).toBeGreaterThan(60)
    for (const spelling of spellings) expect(all).not.toContain(spelling)
  })
})
