import { expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { StatusReport } from '../../../protocol/status-report.ts'
import { rawAnswer, type RawRequest, startRawServer } from '../../raw-server.test-support.ts'
import { createSwiftClock, readHub, startHub, until } from '../live/hub-on-socket.test-support.ts'
import { type ProxyOnSocket, startProxyOnSocket } from '../proxy-on-socket.test-support.ts'
import { createBuildDataUpstream } from './upstream.ts'
import { createUpstreamLog, type UpstreamLog } from './upstream-log.ts'
import { createUpstreamClient } from './undici-upstream-client.ts'

const sse = { 'content-type': 'text/event-stream' }
const event = (id: string, data: unknown): string =>
  `id: ${id}\nevent: Build\ndata: ${JSON.stringify(data)}\n\n`
const v2 = {
  buildId: 'aaaaaaaaaaaa1',
  timestamp: 1_600_000_000_000,
  toolType: 'maven',
  toolVersion: '3.9',
  agentVersion: '1.2',
}

async function upstreamOf(
  answer: (request: RawRequest) => string,
  exportVersion: 'auto' | 'v1' | 'v2' = 'auto',
) {
  const server = await startRawServer((request, socket) => socket.write(answer(request)))
  const clock = createManualClock(Date.UTC(2026, 0, 5))
  const log = createUpstreamLog(clock)
  const upstream = createBuildDataUpstream({
    kind: 'server',
    connect: createUpstreamClient,
    url: server.url,
    credential: { kind: 'none' },
    exportBearer: 'raw',
    exportVersion,
    clock,
    version: '0',
    notice: () => undefined,
    log,
  })
  onTestFinished(server.close)
  onTestFinished(() => upstream.client.close())
  const status = async (path: string): Promise<number> => {
    const response = await upstream.client.request({ path })
    response.cancel()
    return response.status
  }
  return { server, log, status, upstream, clock }
}
const targets = (server: { readonly requests: readonly RawRequest[] }): string[] =>
  server.requests.map(({ target }) => target)

const listing = (version: string): string => `/build-export/${version}/builds/since/now?stream`
const events = (version: string): string => `/build-export/${version}/build/aaaaaaaaaaaa1/events`

test('a server without version 2 gets version 1 requests from then on, for every reader', async () => {
  const { server, log, status } = await upstreamOf(({ target }) =>
    target.includes('/v1/') ? rawAnswer(200, sse, ': hi\n\n') : rawAnswer(404),
  )
  expect(log.report().spoken).toBe(null)
  expect(await status(listing('v2'))).toBe(200)
  expect(log.report().spoken).toBe('v1')
  expect(await status(events('v2'))).toBe(200)
  expect(targets(server)).toEqual([listing('v2'), listing('v1'), events('v1')])
})

test('a server with version 2 never gets version 1 requests, also where a build is unknown', async () => {
  const { server, log, status } = await upstreamOf(({ target }) =>
    target.includes('/build/') ? rawAnswer(404) : rawAnswer(204),
  )
  expect(await status(listing('v2'))).toBe(204)
  expect(await status(events('v2'))).toBe(404)
  expect(log.report().spoken).toBe('v2')
  expect(targets(server)).toEqual([listing('v2'), events('v2')])
})

test('a server that is replaced by one of version 1 is followed on', async () => {
  let has = '/v2/'
  const { log, status } = await upstreamOf(({ target }) =>
    rawAnswer(target.includes(has) ? 204 : 404),
  )
  expect(await status(listing('v2'))).toBe(204)
  has = '/v1/'
  expect(await status(listing('v2'))).toBe(204)
  expect(log.report().spoken).toBe('v1')
})

test('where neither is there the answer of version 2 counts, and a later upgrade is noticed', async () => {
  let has = ''
  const { log, status } = await upstreamOf(({ target }) =>
    rawAnswer(has !== '' && target.includes(has) ? 204 : 404),
  )
  expect(await status(listing('v2'))).toBe(404)
  expect(log.report().spoken).toBe(null)
  has = '/v1/'
  expect(await status(listing('v2'))).toBe(204)
  has = '/v2/'
  expect(await status(listing('v2'))).toBe(204)
  expect(log.report().spoken).toBe('v2')
})

test('version 2 is spoken again as soon as it is there, also where version 1 goes on answering', async () => {
  let hasBoth = false
  const { server, log, status } = await upstreamOf(({ target }) =>
    rawAnswer(hasBoth || target.includes('/v1/') ? 204 : 404),
  )
  expect(await status(listing('v2'))).toBe(204)
  expect(log.report().spoken).toBe('v1')
  hasBoth = true
  expect(await status(listing('v2'))).toBe(204)
  expect(log.report().spoken).toBe('v2')
  expect(targets(server)).toEqual([listing('v2'), listing('v1'), listing('v2')])
})

test('with version 1 configured, version 2 is never requested', async () => {
  const { server, status } = await upstreamOf(() => rawAnswer(204), 'v1')
  expect(await status(events('v2'))).toBe(204)
  expect(await status(listing('v2'))).toBe(204)
  expect(targets(server)).toEqual([events('v1'), listing('v1')])
})

test('what a server announces the end of is kept for each operation, with its links', async () => {
  const { log, server, status } = await upstreamOf(({ target }) => {
    if (target.startsWith('/api/builds?')) {
      return rawAnswer(200, {
        deprecation: '@1688169599',
        sunset: 'Wed, 31 Dec 2025 23:59:59 GMT',
        link: '<https://docs.example/migrate>; rel="deprecation"; type="text/html", <../docs/sunset?from=list>; rel="sunset", <javascript:alert(1)>; rel="deprecation", </next>; rel="next", <https://u:p@evil.example/>; rel="sunset"',
      })
    }
    if (target.startsWith('/api/builds/')) return rawAnswer(404, { deprecation: 'true' })
    return rawAnswer(200, { deprecation: 'false' })
  })
  await status('/api/builds?since=0&maxBuilds=1')
  await status('/api/builds?since=9')
  await status('/api/builds/aaaaaaaaaaaa1/gradle-attributes')
  await status('/api/version')
  expect(log.report().deprecated).toEqual([
    {
      server: 'build server',
      endpoint: 'GET /api/builds',
      since: 1_688_169_599_000,
      until: Date.UTC(2025, 11, 31, 23, 59, 59),
      links: ['https://docs.example/migrate', `${server.url.origin}/docs/sunset?from=list`],
      lastAt: Date.UTC(2026, 0, 5),
      count: 2,
    },
    expect.objectContaining({
      endpoint: 'GET /api/builds/:buildId/:attributes',
      since: null,
      until: null,
      count: 1,
    }),
  ])
})

test('builds of a history whose fields are odd are shown, and what was lost is named', async () => {
  const odd = [
    { ...v2, buildId: 'aaaaaaaaaaaa1', agentVersion: null },
    { ...v2, buildId: 'ABC_defg-1234', agentVersion: undefined },
    { ...v2, buildId: 'aaaaaaaaaaaa3', timestamp: 'soon' },
    { ...v2, buildId: 'too/short' },
    'nothing',
    { ...v2, buildId: 'aaaaaaaaaaaa6', timestamp: '1600000000006' },
  ]
  const server = await startRawServer(({ target }, socket) => {
    if (target.endsWith('?stream')) socket.write(rawStream(': open\n\n'))
    else if (target.includes('/since/')) {
      socket.end(rawAnswer(200, sse, odd.map((data, at) => event(`x${at}`, data)).join('')))
    } else socket.end(rawAnswer(204))
  })
  const clock = createSwiftClock(() => 1_700_000_000_000)
  const log: UpstreamLog = createUpstreamLog(clock)
  const hub = await startHub(server.url, clock, {}, { log })
  onTestFinished(server.close)
  onTestFinished(() => hub.stop())
  const reader = readHub(hub.origin, '/?since=0')
  await until(() => reader.ids.length === 3)
  expect(reader.ids).toEqual(['aaaaaaaaaaaa1', 'ABC_defg-1234', 'aaaaaaaaaaaa6'])
  const { count, last } = log.report().losses
  expect(count).toBe(5)
  const endpoint = 'GET /build-export/v2/builds/since/:date'
  expect(last.toReversed()).toMatchObject([
    { endpoint, build: 'aaaaaaaaaaaa1', field: 'agentVersion', reason: 'is null, not a text' },
    { endpoint, build: 'ABC_defg-1234', field: 'agentVersion', reason: 'is missing, not a text' },
    { endpoint, build: 'aaaaaaaaaaaa3', field: 'timestamp', reason: 'is not a time' },
    { endpoint, build: 'too/short', field: 'buildId' },
    { endpoint, build: 'x4', field: 'data', reason: 'is not an object' },
  ])
  expect(hub.metric('malformed_messages')).toBe(3)
  reader.leave()
})

function rawStream(text: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n${text}`
}

test('the last hundred losses are kept, and no text of a server can break a page', () => {
  const log = createUpstreamLog(createManualClock(0))
  for (let number = 0; number < 150; number++) {
    log.lost({
      server: 'build server',
      endpoint: 'GET /x',
      build: `\u001b[31m${number}${'x'.repeat(500)}`,
      field: 'tags',
      reason: 'is null',
    })
  }
  const { count, last } = log.report().losses
  expect([count, last.length]).toEqual([150, 100])
  expect(last[0]?.build).toMatch(/^\ufffd\[31m149x{32}$/)
})

test('the report is for those with a session', async () => {
  const proxy: ProxyOnSocket = await startProxyOnSocket()
  onTestFinished(() => proxy.close())
  expect((await fetch(`${proxy.url}/upstream/report`)).status).toBe(401)
  const report = StatusReport.parse(await (await proxy.ask('/upstream/report')).json())
  expect(report.buildServer.exportVersion).toEqual({ setting: 'v2', spoken: null })
  expect(report).toMatchObject({ deprecated: [], losses: { count: 0, last: [] } })
})
