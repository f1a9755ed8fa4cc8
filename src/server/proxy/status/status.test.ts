import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { statusHeadline, StatusReport } from '../../../protocol/status-report.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { runs } from '../../../property-runs.test-support.ts'
import { listen } from '../../listen.ts'
import { addAlert } from '../../store/alerts.ts'
import type { Database } from '../../store/database.ts'
import { memoryDatabase } from '../../store/memory-database.test-support.ts'
import type { LiveEndpoint } from '../live/live-route.ts'
import type { PlainAnswer } from '../plain-server.test-support.ts'
import {
  canary,
  canaryAccount,
  type ProxyOnSocket,
  startProxyOnSocket,
} from '../proxy-on-socket.test-support.ts'
import { createUpstreamLog } from '../upstream/upstream-log.ts'
import { statusLines } from './status-lines.ts'

async function start(
  answers: { buildData?: PlainAnswer; governor?: PlainAnswer } = {},
  options: Parameters<typeof startProxyOnSocket>[1] = {},
): Promise<ProxyOnSocket> {
  const proxy = await startProxyOnSocket(answers, options)
  onTestFinished(() => proxy.close())
  return proxy
}

async function database(): Promise<Database> {
  const opened = await memoryDatabase()
  onTestFinished(() => opened.close())
  return opened
}

/** The listener for operators. */
async function opsOf(proxy: ProxyOnSocket) {
  const clock = { now: () => 0, after: () => () => undefined }
  const ops = await listen({ app: proxy.ops, host: '127.0.0.1', port: 0, clock })
  onTestFinished(() => ops.close())
  return ops
}

const reportOf = async (proxy: ProxyOnSocket): Promise<StatusReport> =>
  StatusReport.parse(await (await proxy.ask('/upstream/report')).json())

const json = { 'content-type': 'application/json' }
/** A build server that grants everything; `more` are headers of each response. */
const working =
  (more: () => Record<string, string> = () => ({})): PlainAnswer =>
  ({ url }, response) => {
    const body = url === '/api/version' ? '{"string":"2025.1.2"}' : '[]'
    response.writeHead(200, { ...json, ...more() }).end(body)
  }
const missing: PlainAnswer = (_request, response) => {
  response.writeHead(404).end()
}

const storedAttestation = `/upstream/governor/packages/oci/app/1.0/sha256:${'ab'.repeat(32)}/attestations/s3:a/b`

describe('the report', () => {
  test('says release, permissions, credential and clock, and asks for it once a minute while read', async () => {
    const proxy = await start({ buildData: working() }, { database: await database() })
    const requested = (): string[] =>
      proxy.buildData.received.map(({ url }) => url).filter((url) => !url.includes('auth'))
    expect(requested()).toEqual([])
    const { buildServer, policyService, database: store } = await reportOf(proxy)
    expect(buildServer).toMatchObject({
      health: 'ok',
      message: 'Reachable, release 2025.1.2.',
      kind: 'server',
      address: proxy.buildData.url.origin,
      release: '2025.1.2',
    })
    expect(buildServer.permissions.map(({ name, state }) => [name, state])).toEqual([
      ['Export API', 'unknown'],
      ['Access build data via the API', 'granted'],
    ])
    expect(policyService).toMatchObject({ health: 'ok' })
    expect(store).toMatchObject({ health: 'ok', kind: 'sqlite' })
    expect(store?.version).toMatch(/^SQLite 3\./)
    await Promise.all([reportOf(proxy), reportOf(proxy)])
    const once = requested()
    expect(once.map((url) => url.replace(/\?.*/, ''))).toEqual(['/api/version', '/api/builds'])
    proxy.clock.advance(59_000)
    await reportOf(proxy)
    expect(requested()).toEqual(once)
    expect(proxy.governor.received).toHaveLength(1)
  })

  test('what people request says it as well, and then nothing is requested for it', async () => {
    const proxy = await start({ buildData: working() })
    await reportOf(proxy)
    const version = (): number =>
      proxy.buildData.received.filter(({ url }) => url === '/api/version').length
    for (let minute = 0; minute < 5; minute += 1) {
      proxy.clock.advance(60_000)
      await (await proxy.ask('/upstream/build-data/api/builds?since=0')).text()
      await reportOf(proxy)
    }
    expect(version()).toBe(1)
  })

  test.each([
    [403, 'The build server denies the permission "Access build data via the API"'],
    [404, 'The build server has no build list, or Sightline\'s user lacks the permission "Access'],
    [200, 'Reachable, release 2025.1.2.'],
  ])('names a permission that is missing (%i)', async (status, words) => {
    const proxy = await start({
      buildData: (request, response, raw) => {
        if (request.url.startsWith('/api/builds')) response.writeHead(status, json).end('[]')
        else working()(request, response, raw)
      },
    })
    const { buildServer } = await reportOf(proxy)
    expect([buildServer.message, ...buildServer.notes].join(' ')).toContain(words)
    expect(buildServer.permissions[1]?.state).toBe(
      { 403: 'missing', 404: 'unknown' }[status] ?? 'granted',
    )
  })

  test('a user who may read no build data is never said to have credentials that are rejected', async () => {
    const proxy = await start({
      buildData: (_request, response) => {
        response.writeHead(403, json).end('{}')
      },
    })
    const { message, notes } = (await reportOf(proxy)).buildServer
    expect(message).toMatch(/^The build server denies access \(403\)\. Check the permissions of /)
    expect([message, ...notes].join(' ')).not.toContain('rejects')
  })

  test.each([
    [120_000, '2 min ahead of'],
    [-120_000, '2 min behind'],
  ])('says that a clock is %i ms off', async (skewMs, words) => {
    const now = Date.UTC(2026, 0, 5)
    const date = new Date(now + skewMs).toUTCString()
    const proxy = await start({ buildData: working(() => ({ date })), governor: missing })
    const report = await reportOf(proxy)
    expect(report.buildServer.message).toContain(`clock is ${words} this machine's`)
    expect(Math.abs((report.buildServer.clockSkewMs ?? 0) - skewMs)).toBeLessThanOrEqual(500)
    expect(statusHeadline(report)).toMatchObject({
      health: 'warning',
      message: report.buildServer.message,
    })
    expect(statusLines(report).join('\n')).toContain(`  Clock: ${words}`)
  })

  test('a part that is dead or silent hides no other', async () => {
    const store = await database()
    const proxy = await start(
      { buildData: () => undefined, governor: missing },
      {
        database: {
          dialect: 'sqlite',
          probe: () => new Promise(() => undefined),
          inspect: store.inspect,
        },
      },
    )
    const pending = reportOf(proxy)
    await expect.poll(() => proxy.buildData.received.length).toBeGreaterThan(0)
    await expect.poll(() => proxy.governor.received.length).toBe(1)
    proxy.clock.advance(3000)
    const first = await pending
    expect([first.buildServer.health, first.policyService.health]).toEqual(['unknown', 'ok'])
    expect(first.database).toMatchObject({ health: 'unknown', kind: 'sqlite' })
    expect(statusHeadline(first).message).toBe('Checking the build server and database…')
    proxy.clock.advance(10_000)
    const second = await reportOf(proxy)
    expect(second.buildServer.message).toMatch(/sent nothing for 10 s|didn't respond|timed out/)
    expect(second.database?.message).toContain("The database isn't responding.")
    expect(second.policyService.health).toBe('ok')
    expect(statusHeadline(second)).toMatchObject({
      health: 'failed',
      message: 'Not working: build server and database.',
    })
  })

  test.each([
    ['redis', true, 'this', 'ok', 'This Sightline server follows the build server.'],
    ['redis', true, 'another', 'ok', 'Another Sightline server follows the build server.'],
    ['postgres', true, 'nobody', 'warning', 'No Sightline server is following the build server.'],
    ['postgres', false, 'another', 'failed', 'The log is away.'],
    ['postgres', false, 'this', 'warning', 'The log is away.'],
    ['memory', true, 'this', undefined, undefined],
  ] as const)(
    'a live log in %s, reachable: %s, followed by %s, is %s',
    async (kind, isReachable, follower, health, message) => {
      const state = { kind, isReachable, follower, since: 5, message: 'The log is away.' }
      const live: LiveEndpoint = {
        handle: () => undefined,
        metrics: () => ({ gauges: {}, counters: {} }),
        liveLog: () => state,
        history: 0,
      }
      const { liveLog } = await reportOf(await start({}, { live }))
      expect([liveLog?.health, liveLog?.message]).toEqual([health, message])
    },
  )

  test('while the live log is away the build server is what its own responses say', async () => {
    const live: LiveEndpoint = {
      handle: () => undefined,
      metrics: () => ({ gauges: {}, counters: {} }),
      liveLog: () => ({
        ...{ kind: 'postgres', isReachable: false, follower: 'nobody', since: 5 },
        message: 'The log is away.',
      }),
      upstream: () => ({
        ...{ upstream: 'retrying', message: "Can't reach the live log.", malformed: 0, since: 5 },
        ...{ lastHeardAt: 4, nextAttemptAt: null, newestBuildAt: null, deliveriesMs: [] },
      }),
      history: 0,
    }
    const proxy = await start({}, { live })
    proxy.clock.advance(10_000)
    const { buildServer } = await reportOf(proxy)
    expect([buildServer.health, buildServer.message]).toEqual(['ok', 'Reachable.'])
  })

  const live: LiveEndpoint = {
    handle: () => undefined,
    metrics: () => ({ gauges: {}, counters: {} }),
    upstream: () => ({
      ...{ upstream: 'live', message: 'Live.', malformed: 0, since: 5, lastHeardAt: 4 },
      ...{ nextAttemptAt: null, newestBuildAt: null, deliveriesMs: [] },
    }),
    history: 0,
  }

  test('beside a live stream, a silent build list is never said to be a server that sends nothing', async () => {
    const proxy = await start({ buildData: () => undefined }, { live })
    const report = reportOf(proxy)
    await expect.poll(() => proxy.buildData.received.length).toBeGreaterThan(0)
    proxy.clock.advance(3000)
    const first = await report
    expect(statusHeadline(first)).toMatchObject({
      health: 'unknown',
      message: 'Checking the build server…',
    })
    expect(first.buildServer.message).toBe(
      "Builds arrive. The build server hasn't responded to other requests yet, such as for the build list.",
    )
    expect(first.buildServer.permissions[1]?.known).toBe('not checked yet')
    proxy.clock.advance(10_000)
    const { health, message, permissions } = (await reportOf(proxy)).buildServer
    expect(permissions[1]?.known).toBe('unknown, no response')
    const sentence = "Builds arrive, but the build server didn't respond to other requests"
    expect([health, message]).toEqual(['warning', expect.stringContaining(sentence)])
  })

  const rejects =
    "Builds arrive, but the build server rejects Sightline's credentials for other requests, such as for the build list (401). Check SIGHTLINE_BUILD_DATA_ACCESS_KEY (or SIGHTLINE_BUILD_DATA_BASIC)."
  const denies =
    'The build server denies the permission "Access build data via the API", so details come from each build\'s events.'
  const busy =
    'Builds arrive, but the build server refuses other requests, such as for the build list, because there are too many (429). Sightline tries again by itself.'
  test.each([
    [401, '/api/builds', rejects, 'unknown, the credential is rejected (401)', 'partly'],
    [401, '/api/', rejects, 'unknown, the credential is rejected (401)', 'partly'],
    [403, '/api/builds', denies, 'missing', 'valid'],
    [403, '/api/', denies, 'missing', 'valid'],
    [429, '/api/builds', busy, 'unknown, the server responded with 429', 'valid'],
  ])(
    'beside a live stream, %i for %s is said once, and the access key is never said to be rejected as a whole',
    async (status, path, sentence, known, credential) => {
      const proxy = await start(
        {
          buildData: (request, response, raw) => {
            if (request.url.startsWith(path)) response.writeHead(status, json).end('{}')
            else working()(request, response, raw)
          },
        },
        { live },
      )
      for (const seconds of [0, 2, 4, 6, 70]) {
        proxy.clock.advance(seconds * 1000)
        await (await proxy.ask('/upstream/build-data/api/builds?since=0')).text()
        const { buildServer } = await reportOf(proxy)
        const { health, message, notes, permissions } = buildServer
        const said = [message, ...notes]
        expect([health, said.filter((one) => /reject|den|many/.test(one))]).toEqual([
          'warning',
          [sentence],
        ])
        expect(permissions[1]?.known).toBe(known)
        expect(buildServer.credential?.state).toBe(credential)
      }
    },
  )

  test.each([
    [401, rejects],
    [429, busy],
  ])(
    'beside a live stream, a list that begins to respond with %i is said within 5 s, whatever else responds',
    async (status, sentence) => {
      let isFailing = false
      const proxy = await start(
        {
          buildData: (request, response, raw) => {
            const fails = isFailing && request.url.startsWith('/api/builds?')
            if (fails) response.writeHead(status).end()
            else working()(request, response, raw)
          },
        },
        { live },
      )
      expect((await reportOf(proxy)).buildServer.health).toBe('ok')
      isFailing = true
      proxy.clock.advance(5000)
      await (await proxy.ask('/upstream/build-data/api/builds?since=0')).text()
      proxy.clock.advance(1)
      await (await proxy.ask('/upstream/build-data/api/version')).text()
      expect((await reportOf(proxy)).buildServer).toMatchObject({
        health: 'warning',
        message: sentence,
      })
    },
  )

  test.each(['every request', 'the list of builds'])(
    'beside a live stream, %s that fails is said within 5 s, and so is its recovery',
    async (what) => {
      let isFailing = false
      const proxy = await start(
        {
          buildData: (request, response, raw) => {
            const fails = what === 'every request' || request.url.startsWith('/api/builds')
            if (isFailing && fails) response.writeHead(503).end()
            else working()(request, response, raw)
          },
        },
        { live },
      )
      const use = async (): Promise<number> =>
        (await proxy.ask('/upstream/build-data/api/builds?since=0')).status
      const said = async (): Promise<unknown[]> => {
        const { health, message } = (await reportOf(proxy)).buildServer
        const ready = /"status":"([\w-]+)"/.exec(await (await proxy.ask('/readyz')).text())
        return [health, message, ready?.[1]]
      }
      expect([await use(), ...(await said())]).toEqual([
        ...[200, 'ok', 'Reachable, release 2025.1.2.', 'ready'],
      ])
      isFailing = true
      proxy.clock.advance(5000)
      const sentence =
        'Builds arrive, but the build server is unavailable for other requests, such as for the build list (503).'
      const unavailable = ['warning', sentence, 'degraded']
      expect([await use(), ...(await said())]).toEqual([503, ...unavailable])
      proxy.clock.advance(5000)
      expect(await said()).toEqual(unavailable)
      isFailing = false
      proxy.clock.advance(5000)
      expect(await said()).toEqual(['ok', 'Reachable, release 2025.1.2.', 'ready'])
    },
  )

  test('a server that is gone is said with what to do, and is well again when it is back', async () => {
    let isRefused = true
    const proxy = await start({
      governor: (request, response, raw) => {
        if (isRefused) response.writeHead(401).end()
        else missing(request, response, raw)
      },
    })
    const { policyService } = await reportOf(proxy)
    expect(policyService).toMatchObject({ health: 'failed' })
    expect(policyService.message).toContain("rejects Sightline's credentials")
    isRefused = false
    proxy.clock.advance(60_000)
    expect((await reportOf(proxy)).policyService.health).toBe('ok')
    await proxy.governor.close()
    proxy.clock.advance(60_000)
    expect((await reportOf(proxy)).policyService.message).toContain('refused the connection')
  })

  test('what a policy service says of its own fault stands behind its name', async () => {
    const detail = 'An error occurred while trying to communicate with an external service.'
    const proxy = await start({
      governor: (_request, response) => {
        response.writeHead(500, { 'content-type': 'application/problem+json' })
        response.end(JSON.stringify({ type: 'about:blank', title: 'Error', status: 500, detail }))
      },
    })
    expect((await reportOf(proxy)).policyService).toMatchObject({
      health: 'failed',
      message: `The policy service reports: ${detail}`,
    })
  })

  test.each([
    [36 * 3_600_000, 'warning', 'The access key expires in 36 hours.'],
    [-1, 'failed', 'The access key has expired.'],
  ])('a key that ends in %j ms is said with what to do', async (leftMs, health, sentence) => {
    const clock = createManualClock(Date.UTC(2026, 0, 5))
    const keyExpiresAt = clock.now() + leftMs
    const proxy = await start({ buildData: working() }, { clock, keyExpiresAt })
    const { buildServer } = await reportOf(proxy)
    const cure = 'Replace it in SIGHTLINE_BUILD_DATA_ACCESS_KEY (or SIGHTLINE_BUILD_DATA_BASIC).'
    expect(buildServer).toMatchObject({ health, message: `${sentence} ${cure}` })
  })

  test('a credential that a request finds rejected is said of its server, with what to do', async () => {
    let isRefused = false
    const proxy = await start({
      governor: (request, response, raw) => {
        if (isRefused) response.writeHead(401).end()
        else missing(request, response, raw)
      },
    })
    expect((await reportOf(proxy)).policyService.health).toBe('ok')
    isRefused = true
    proxy.clock.advance(1000)
    expect((await proxy.ask(storedAttestation)).status).toBe(502)
    expect((await reportOf(proxy)).policyService).toMatchObject({
      health: 'failed',
      message:
        "The policy service rejects Sightline's credentials. Check SIGHTLINE_GOVERNOR_BASIC (or SIGHTLINE_GOVERNOR_BEARER).",
    })
  })

  test('a credential that is refused is tried once a minute, however often the report is read', async () => {
    let requests = 0
    const proxy = await start({
      governor: (_request, response) => {
        requests += 1
        response.writeHead(401).end()
      },
    })
    for (let seconds = 0; seconds < 60; seconds += 6) {
      expect((await reportOf(proxy)).policyService.health).toBe('failed')
      proxy.clock.advance(6000)
    }
    expect(requests).toBe(1)
    await reportOf(proxy)
    expect(requests).toBe(2)
  })

  test('a failed request is not forgotten over a response before it, and recovery is seen within 5 s', async () => {
    let isGone = false
    const proxy = await start({
      governor: (request, response, raw) => {
        if (isGone) response.destroy()
        else missing(request, response, raw)
      },
    })
    const health = async (): Promise<string> => (await reportOf(proxy)).policyService.health
    const use = async (): Promise<number> => (await proxy.ask(storedAttestation)).status
    expect(await health()).toBe('ok')
    proxy.clock.advance(30_000)
    expect(await use()).toBe(404)
    isGone = true
    proxy.clock.advance(25_000)
    expect(await use()).toBe(502)
    expect(await health()).toBe('failed')
    // The check before is older than a minute, the response isn't.
    proxy.clock.advance(10_000)
    expect(await health()).toBe('failed')
    isGone = false
    proxy.clock.advance(5000)
    expect(await health()).toBe('ok')
  })
})

test('what is counted in the database is, soon after it can be read again', async () => {
  const store = await database()
  const log = createUpstreamLog(createManualClock(0))
  const status = { log, exportVersion: 'v2', warnings: [], database: store } as const
  const proxy = await start({}, { database: store, status })
  await store.kysely.schema.alterTable('screens').renameTo('away').execute()
  const people = async () => (await reportOf(proxy)).people
  expect(await people()).toMatchObject({ screens: null, notes: [expect.any(String)] })
  await store.kysely.schema.alterTable('away').renameTo('screens').execute()
  proxy.clock.advance(1000)
  expect(await people()).toMatchObject({ screens: { paired: 0 }, notes: [] })
})

describe('readiness', () => {
  const readyz = async (proxy: ProxyOnSocket): Promise<[number, string]> => {
    const response = await proxy.ask('/readyz')
    return [response.status, await response.text()]
  }

  test('ends where the database is read-only, and begins again when it can be written', async () => {
    const store = await database()
    const proxy = await start({}, { database: store })
    expect((await readyz(proxy))[0]).toBe(200)
    await sql`pragma query_only = on`.execute(store.kysely)
    proxy.clock.advance(10_000)
    const [status, text] = await readyz(proxy)
    expect(status).toBe(503)
    expect(text).toContain('The database is read-only.')
    await sql`pragma query_only = off`.execute(store.kysely)
    proxy.clock.advance(10_000)
    expect((await readyz(proxy))[0]).toBe(200)
  })

  test('ends where the disk of the database is full', async () => {
    const store = await database()
    const proxy = await start({}, { database: store })
    await sql`pragma max_page_count = 1`.execute(store.kysely)
    // The pages that are free now are used up.
    const fill = async (): Promise<void> => {
      for (let n = 0; n < 10_000; n += 1) {
        await sql`insert into seeds (name, is_whole) values (${`row ${n} ${'x'.repeat(200)}`}, 1)`.execute(
          store.kysely,
        )
      }
    }
    await expect(fill()).rejects.toThrow('full')
    const [status, text] = await readyz(proxy)
    expect(status).toBe(503)
    expect(text).toContain('The disk of the database is full.')
    expect((await reportOf(proxy)).database).toMatchObject({ health: 'failed' })
  })

  test('stays while a server is lost, and says so', async () => {
    const proxy = await start({}, { database: await database() })
    await proxy.buildData.close()
    await reportOf(proxy)
    const [status, text] = await readyz(proxy)
    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({ ready: true, status: 'degraded' })
    expect(text).toContain('refused the connection')
  })

  test('ends with the process', async () => {
    const proxy = await start({}, { isEnding: () => true })
    const [status, text] = await readyz(proxy)
    expect(status).toBe(503)
    expect(text).toContain('Sightline is shutting down.')
  })
})

test('no secret is in the report, the metrics, readiness or a line, whatever the servers echo', async () => {
  const places = ['body', 'location', 'link', 'date', 'content-type', 'retry-after', 'deprecation']
  let echo: { status: number; places: string[]; text: string } = {
    status: 200,
    places: [],
    text: '',
  }
  const echoing: PlainAnswer = (_request, response) => {
    const { status, text } = echo
    for (const place of echo.places) {
      const url = `https://x.example/${text}`
      if (place === 'link') response.setHeader(place, `<${url}>; rel="deprecation"`)
      else if (place !== 'body') response.setHeader(place, url)
    }
    response
      .writeHead(status)
      .end(echo.places.includes('body') ? `{"string":"${text}","detail":"${text}"}` : '')
  }
  const proxy = await start(
    { buildData: echoing, governor: echoing },
    { database: await database() },
  )
  const ops = await opsOf(proxy)
  const account = Buffer.from(canaryAccount).toString('base64')
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(200, 204, 302, 400, 401, 403, 404, 429, 500, 503),
      fc.subarray(places, { minLength: 1 }),
      fc.constantFrom(canary, canaryAccount, account, encodeURIComponent(canaryAccount)),
      async (status, chosen, text) => {
        echo = { status, places: chosen, text }
        proxy.clock.advance(11 * 60_000)
        const report = await reportOf(proxy)
        const shown = [
          JSON.stringify(report),
          statusLines(report).join('\n'),
          await (await fetch(`${ops.url}/readyz`)).text(),
          await (await fetch(`${ops.url}/metrics`)).text(),
        ].join('\n')
        for (const secret of [canary, canaryAccount, account, 'canary-b81f6e035a27']) {
          expect(shown).not.toContain(secret)
        }
        for (const line of statusLines(report)) expect(line).not.toMatch(/[\p{Cc}]/u)
      },
    ),
    { numRuns: runs(60) },
  )
})

test('the listener for operators needs no session and has nothing else', async () => {
  const proxy = await start({ buildData: working(), governor: missing })
  const ops = await opsOf(proxy)
  const ask = async (path: string, method = 'GET'): Promise<[number, string]> => {
    const response = await fetch(`${ops.url}${path}`, { method })
    return [response.status, await response.text()]
  }
  expect(await ask('/healthz')).toEqual([200, '{"status":"ok"}'])
  expect(proxy.buildData.received).toEqual([])
  expect((await ask('/readyz'))[0]).toBe(200)
  const [status, text] = await ask('/metrics')
  expect(status).toBe(200)
  for (const line of [
    'sightline_upstream_up{upstream="build server"} 1',
    'sightline_upstream_up{upstream="policy service"} 1',
    'sightline_info{version="1.2.3"} 1',
    'sightline_streams 3',
    'sightline_unreadable_fields_total 0',
    'sightline_upstream_request_seconds_count{upstream="policy service"} 1',
  ]) {
    expect(text).toContain(line)
  }
  // What nobody measured has no sample.
  expect(text).not.toMatch(/^sightline_(?:sessions|database_up|build_delivery_seconds) /m)
  for (const path of ['/', '/config', '/upstream/report', '/status.json', '/session', '/healthz/x'])
    expect((await ask(path))[0], path).toBe(404)
  for (const path of ['/healthz', '/readyz', '/metrics'])
    expect((await ask(path, 'POST'))[0], path).toBe(405)
})

test.each([
  [{ leftTo: 'lead@example.com' }, "Alerts don't reach everyone. Refused."],
  [{}, "Alerts aren't delivered. Refused."],
])(
  'a receiver that failed with %j is said to have taken nothing only if it did',
  async (left, message) => {
    const attempt = { kind: 'later', reason: 'Refused.', at: 1, ...left } as const
    const log = createUpstreamLog(createManualClock(0))
    const webhooks = [{ name: 'route mail', last: () => attempt }]
    const kept = await database()
    const status = { log, exportVersion: 'v2', warnings: [], webhooks, database: kept } as const
    const proxy = await start({}, { database: kept, status })
    expect((await reportOf(proxy)).alerts).toMatchObject({ health: 'warning', message })
  },
)

const delivered = { kind: 'sent', at: 2 } as const
const refusedOf = (reason: string) => ({ kind: 'never', reason, at: 1 }) as const

test.each([
  [[refusedOf('Refused.'), delivered], "Alerts aren't delivered to route 0. Refused.", []],
  [
    [{ ...refusedOf('Refused.'), leftTo: 'lead@example.com' }, delivered],
    "Alerts don't reach everyone of route 0. Refused.",
    [],
  ],
  [
    [refusedOf('Refused.'), delivered, refusedOf('Gone.')],
    "Alerts aren't delivered to 2 of 3 receivers.",
    ['route 0: Refused.', 'route 2: Gone.'],
  ],
] as const)(
  'of several receivers, those that fail are named: %j',
  async (lasts, message, notes) => {
    const log = createUpstreamLog(createManualClock(0))
    const webhooks = lasts.map((last, index) => ({ name: `route ${index}`, last: () => last }))
    const kept = await database()
    const status = { log, exportVersion: 'v2', warnings: [], webhooks, database: kept } as const
    const proxy = await start({}, { database: kept, status })
    expect((await reportOf(proxy)).alerts).toMatchObject({ health: 'warning', message, notes })
  },
)

test('alerts are counted again after an attempt, however new the last count is', async () => {
  const clock = createManualClock(Date.UTC(2026, 0, 5))
  const attempts: { kind: 'later'; reason: string; at: number }[] = []
  const kept = await database()
  const webhooks = [{ name: 'route mail', last: () => attempts.at(-1) }]
  const log = createUpstreamLog(clock)
  const status = { log, exportVersion: 'v2', warnings: [], webhooks, database: kept } as const
  const proxy = await start({}, { clock, database: kept, status })
  const waiting = async () => (await reportOf(proxy)).alerts?.waiting
  expect(await waiting()).toBe(0)
  clock.advance(1000)
  const alert = {
    tile: 't',
    spell: 's',
    kind: 'red',
    text: 'Red.',
    createdAt: clock.now(),
  } as const
  await addAlert(kept, alert)
  attempts.push({ kind: 'later', reason: 'Refused.', at: clock.now() })
  expect(await waiting()).toBe(1)
})
