import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ProxyConfig } from '../../protocol/proxy-config.ts'
import { exchangeRaw } from '../raw-request.test-support.ts'
import type { LiveEndpoint } from './live/live-route.ts'
import { answering } from './plain-server.test-support.ts'
import { canary, type ProxyOnSocket, startProxyOnSocket } from './proxy-on-socket.test-support.ts'

let proxy: ProxyOnSocket
let databaseAnswers = true
beforeEach(async () => {
  databaseAnswers = true
  proxy = await startProxyOnSocket(
    {
      buildData: (request, response) => {
        if (request.url === '/api/version') response.writeHead(versionStatus).end()
        else response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
      },
    },
    {
      shared: { savedQueries: [{ name: 'Failed', query: 'buildOutcome:failed' }] },
      database: {
        dialect: 'sqlite',
        probe: () => (databaseAnswers ? Promise.resolve() : Promise.reject(new Error('no'))),
        inspect: () => Promise.resolve({ version: 'SQLite 3', sizeBytes: 4096 }),
      },
    },
  )
})
afterEach(() => proxy.close())
let versionStatus = 200

const build = 'k3j7a2b9c4d5e'
describe('health and configuration', () => {
  test('the health check passes without a session, for any client and whatever is broken', async () => {
    databaseAnswers = false
    const response = await fetch(`${proxy.url}/healthz`, {
      headers: { 'user-agent': 'kube-probe/1' },
    })
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test.each([
    ['gzip, br', 'gzip'],
    ['identity', null],
  ])('the configuration is read by whoever accepts %s', async (accepted, encoding) => {
    const response = await proxy.ask('/config', { headers: { 'accept-encoding': accepted } })
    expect(response.headers.get('content-encoding')).toBe(encoding)
    expect(ProxyConfig.parse(await response.json()).savedQueries).toHaveLength(1)
  })

  test.each(['PUT', 'OPTIONS'])('takes no %s', async (method) => {
    const response = await fetch(`${proxy.url}/healthz`, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test.each(['/healthz/', '/healthz.', '/healthz/../config', '/healthz?x', '/healthz/config'])(
    'no odd spelling of it (%s) reaches more than it',
    async (path) => {
      const answer = await exchangeRaw(
        proxy.port,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: kube-probe/1\r\nConnection: close\r\n\r\n`,
      )
      expect(answer).not.toContain('upstreams')
      if (!path.startsWith('/healthz?')) expect(answer).not.toMatch(/^HTTP\/1.1 200 /)
    },
  )

  const readiness = z.object({
    ready: z.boolean(),
    status: z.string(),
    parts: z.array(
      z.object({
        name: z.string(),
        ready: z.boolean(),
        required: z.boolean(),
        message: z.string(),
      }),
    ),
  })
  /** What is said of one part as soon as something is. */
  const partOf = async (on: ProxyOnSocket, name: string) => {
    await on.ask('/upstream/report')
    const response = await on.ask('/readyz')
    const { status: state, parts } = readiness.parse(await response.json())
    return { status: response.status, state, ...parts.find((part) => part.name === name) }
  }

  test.each([
    [200, 'ready', 'Reachable'],
    [404, 'ready', 'Reachable'],
    [401, 'degraded', "rejects Sightline's credentials (401)"],
    [403, 'degraded', 'denies access (403)'],
    [503, 'degraded', 'is unavailable (503)'],
  ])(
    'readiness says what the build server answers (%i), and stays',
    async (status, state, words) => {
      versionStatus = status
      expect(await partOf(proxy, 'build server')).toMatchObject({
        status: 200,
        state,
        ready: state === 'ready',
        required: false,
        message: expect.stringContaining(words.replace('’', "'")) as unknown,
      })
      expect(await partOf(proxy, 'database')).toMatchObject({
        ready: true,
        required: true,
        message: 'The database is responding.',
      })
      versionStatus = 200
    },
  )

  test('readiness says how the live feed stands, in its words', async () => {
    const message = "The build server rejects Sightline's credentials (401)."
    const live: LiveEndpoint = {
      handle: () => undefined,
      metrics: () => ({ gauges: {}, counters: {} }),
      history: 1,
      upstream: () => ({
        upstream: 'refused',
        message,
        since: 0,
        lastHeardAt: null,
        nextAttemptAt: null,
        malformed: 0,
        newestBuildAt: null,
        deliveriesMs: [],
      }),
    }
    const other = await startProxyOnSocket({ buildData: answering(200, {}) }, { live })
    expect(await partOf(other, 'build server')).toMatchObject({
      status: 200,
      state: 'degraded',
      ready: false,
      message,
    })
    await other.close()
  })

  test('readiness follows the database, which is tried once in ten seconds, the server once a minute', async () => {
    const requested = () => proxy.buildData.received.filter(({ url }) => url === '/api/version')
    await Promise.all([proxy.ask('/readyz'), proxy.ask('/readyz')])
    await proxy.ask('/upstream/report')
    expect(requested()).toHaveLength(1)
    databaseAnswers = false
    expect((await proxy.ask('/readyz')).status).toBe(200)
    proxy.clock.advance(10_000)
    const response = await proxy.ask('/readyz')
    expect(response.status).toBe(503)
    expect(await response.text()).toContain("The database isn't responding. See")
    await proxy.ask('/upstream/report')
    expect(requested()).toHaveLength(1)
    proxy.clock.advance(60_000)
    await proxy.ask('/upstream/report')
    expect(requested()).toHaveLength(2)
  })

  test('the configuration says what serves the upstreams and which queries are saved, and nothing secret', async () => {
    const config = ProxyConfig.parse(await (await proxy.ask('/config')).json())
    expect(config).toEqual({
      version: '1.2.3',
      createTokens: false,
      bundles: true,
      signIn: 'none',
      upstreams: {
        buildData: { kind: 'server', origin: proxy.buildData.url.origin },
        governor: { kind: 'server', origin: proxy.governor.url.origin },
      },
      liveHistory: 10_000,
      savedQueries: [{ name: 'Failed', query: 'buildOutcome:failed' }],
      trustedKeys: {},
      packages: [],
      boards: [],
      walls: [],
      defaultBranches: {},
      tests: { owners: {} },
    })
  })

  test('metrics count requests by pattern, upstream requests, sessions, and the live feed', async () => {
    await proxy.ask(`/upstream/build-data/api/builds/${build}`)
    await proxy.ask('/upstream/build-data/nothing/secret-in-a-path')
    await proxy.ask('/live/builds')
    const text = await (await proxy.ask('/metrics')).text()
    for (const line of [
      'sightline_requests_total{route="/upstream/build-data/api/builds/:buildId",method="GET",status="200"} 1',
      'sightline_requests_total{route="/upstream/*",method="GET",status="404"} 1',
      'sightline_requests_total{route="/live/builds",method="GET",status="200"} 1',
      'sightline_upstream_requests_total{upstream="build server",status="200"} 1',
      'sightline_sessions_total 1',
      'sightline_live_readers 3',
      'sightline_live_messages_total 1',
    ]) {
      expect(text).toContain(line)
    }
    expect(text).not.toContain('secret-in-a-path')
    expect(await (await proxy.ask('/metrics')).text()).toContain('sightline_live_messages_total 1')
  })
})

describe('the live feed', () => {
  test('gets the validated request', async () => {
    const response = await proxy.ask('/live/builds?since=17&batch', {
      headers: { 'last-event-id': build, 'accept-encoding': 'gzip' },
    })
    expect(await response.text()).toBe(': hello\n\n')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(proxy.live).toEqual([
      {
        since: 17,
        batch: true,
        lastEventId: build,
        lastEventIdMalformed: false,
        session: {
          holder: expect.any(String) as unknown,
          expiresAt: expect.any(Number) as unknown,
          ended: expect.any(AbortSignal) as unknown,
        },
        gzip: true,
      },
    ])
  })

  test('begins now by default, and reports an invalid resume point', async () => {
    await proxy.ask('/live/builds', {
      headers: { 'last-event-id': 'X'.repeat(1000), 'accept-encoding': 'identity' },
    })
    expect(proxy.live).toMatchObject([
      {
        since: 'now',
        batch: false,
        lastEventId: undefined,
        lastEventIdMalformed: true,
        gzip: false,
      },
    ])
  })

  test.each(['-1', '1.5', 'Now', '0x1', '1e3', '', '12345678901234567', '0&since=1'])(
    'is not begun at %j',
    async (since) => {
      const response = await proxy.ask(`/live/builds?since=${since}`)
      expect(response.status).toBe(400)
      expect(await response.text()).toContain('must be \\"now\\"')
      expect(proxy.live).toEqual([])
    },
  )

  test('answers HEAD with its head and ends', async () => {
    const response = await proxy.ask('/live/builds', { method: 'HEAD' })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream',
    ])
    expect(proxy.live).toEqual([])
  })

  test('takes no POST', async () => {
    const response = await proxy.ask('/live/builds', { method: 'POST' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})

test('an unexpected error is answered in general words and logged once, without credentials', async () => {
  const faulty = await startProxyOnSocket(
    {},
    {
      live: {
        handle: () => {
          throw new Error(`Authorization: Bearer ${canary} was wrong`)
        },
        metrics: () => ({ gauges: {}, counters: {} }),
        history: 0,
      },
    },
  )
  try {
    const response = await faulty.ask('/live/builds')
    expect(response.status).toBe(500)
    expect(await response.text()).toContain('Something went wrong in the Sightline server.')
    const errors = faulty.log.filter((line) => line.includes('"level":50'))
    expect(errors).toHaveLength(1)
    expect(errors[0]).toContain('Bearer [secret] was wrong')
  } finally {
    await faulty.close()
  }
})

test('an address that nothing takes is a problem in words', async () => {
  for (const [path, init] of [
    ['/nothing', { method: 'POST' }],
    ['/upstream/nothing', {}],
    ['/live/nothing', {}],
    ['/', { headers: { accept: 'application/json' } }],
  ] as const) {
    const response = await proxy.ask(path, init)
    expect([path, response.status]).toEqual([path, 404])
    expect(response.headers.get('content-type')).toBe('application/problem+json')
  }
})

test('nothing is redirected, whatever the query string says', async () => {
  for (const next of [
    '//evil.example',
    '/\\evil.example',
    '/%09/evil.example',
    'https://evil.example',
  ]) {
    for (const path of ['/', '/session', '/config', '/healthz']) {
      const response = await proxy.ask(`${path}?next=${next}&redirect=${next}`, {
        redirect: 'manual',
      })
      expect(response.headers.get('location')).toBeNull()
    }
  }
})

test('a line of the log is one line of JSON, whatever the path and the headers hold', async () => {
  const nasty = '/%1b[31mred%0d%0a{"level":60}'
  await exchangeRaw(
    proxy.port,
    `GET ${nasty} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: \x1b[31m\r\nConnection: close\r\n\r\n`,
  )
  await proxy.ask(
    '/upstream/governor/packages/npm/%40acme%2F%22x%22/a/1/attestations?token=in-a-query',
    {
      method: 'POST',
    },
  )
  for (const line of proxy.log) {
    expect(line.trimEnd()).not.toMatch(/[^\x20-\x7e]/)
    expect(() => z.object({ level: z.number() }).parse(JSON.parse(line))).not.toThrow()
  }
  const text = proxy.log.join('')
  expect(text).toContain('/upstream/governor/packages/npm/')
  expect(text).not.toContain('in-a-query')
  expect(text).not.toContain(proxy.token)
})
