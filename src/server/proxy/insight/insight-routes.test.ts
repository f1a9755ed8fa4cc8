import { Hono } from 'hono'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { readLines } from '../../../protocol/ndjson.ts'
import type { PlainAnswer } from '../plain-server.test-support.ts'
import { postJson, startProxyOnSocket } from '../proxy-on-socket.test-support.ts'
import type { ProxyEnv } from '../sessions.ts'
import { createBuildInsights, insightRoutes } from './insight-routes.ts'

/** What came from the build cache, read from a build server that owes nothing to this project's own. */

const id = 'b000000000001'
const summary = {
  ...{ id, availableAt: 1, buildToolType: 'gradle' },
  ...{ buildToolVersion: '9', buildAgentVersion: '4' },
}
const notApplicable = { problem: { type: 'urn:x:build-model-not-applicable', status: 400 } }
const units = (...outcomes: readonly string[]) =>
  outcomes.map((avoidanceOutcome) => ({ avoidanceOutcome, duration: 3, hasFailed: false }))

async function caches(answer: PlainAnswer) {
  const proxy = await startProxyOnSocket({ buildData: answer })
  onTestFinished(() => proxy.close())
  const read = async (): Promise<unknown[]> => {
    const response = await postJson(proxy, '/insight/caches', { buildIds: [id] })
    const lines: unknown[] = []
    if (response.body === null) return lines
    for await (const line of readLines(response.body)) lines.push(JSON.parse(line))
    return lines
  }
  return { proxy, read }
}

const answering =
  (body: unknown, status = 200): PlainAnswer =>
  (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(body))

test('hits are counted among the work that could come from the cache, once for everybody', async () => {
  const taskExecution = units(
    ...['avoided_from_local_cache', 'avoided_from_remote_cache', 'executed_cacheable'],
    ...['avoided_up_to_date', 'executed_not_cacheable', 'no-source', 'executed_cacheable'],
  )
  const models = {
    gradleBuildCachePerformance: { model: { id, taskExecution } },
    mavenBuildCachePerformance: notApplicable,
  }
  const { proxy, read } = await caches(answering({ ...summary, models }))
  expect(await read()).toEqual([{ buildId: id, cache: { hits: 2, cacheable: 4 } }])
  expect(await read()).toHaveLength(1)
  const urls = proxy.buildData.received.map(({ url }) => url)
  expect(urls.filter((url) => url.startsWith('/api/builds'))).toEqual([
    `/api/builds/${id}?models=gradle-build-cache-performance&models=maven-build-cache-performance`,
  ])
})

test('goals of Maven count as tasks do', async () => {
  const goalExecution = units('avoided_from_remote_cache', 'executed_cacheable', 'skipped')
  const models = {
    gradleBuildCachePerformance: notApplicable,
    mavenBuildCachePerformance: { model: { id, goalExecution } },
  }
  const { read } = await caches(answering({ ...summary, buildToolType: 'maven', models }))
  expect(await read()).toEqual([{ buildId: id, cache: { hits: 1, cacheable: 2 } }])
})

test.each([
  ['ignores models', answering(summary)],
  ["doesn't know these models", answering({ title: 'Bad Request' }, 400)],
  ['has no single builds', answering({}, 404)],
])('a server that %s gives none', async (_, answer) => {
  const { read } = await caches(answer)
  expect(await read()).toEqual([
    { buildId: id, problem: 'The build server gives no build cache models.' },
  ])
})

test('a request whose session ends while its body arrives gives its place back', async () => {
  const clock = createManualClock()
  const client = {
    request: () => Promise.reject(new Error('nobody is asked')),
    close: () => Promise.resolve(),
  }
  const logger = pino({ enabled: false })
  const insights = createBuildInsights({
    ...{ client, clock, logger, random: () => 0, database: undefined },
  })
  const ended = new AbortController()
  const app = new Hono<ProxyEnv>()
  app.use(async (c, next) => {
    const user = { name: 'ada', roles: [] }
    const session = { id: '1', user, kind: 'person', person: 'ada', holder: 'ada' } as const
    c.set('session', { ...session, expiresAt: 1, ended: ended.signal })
    await next()
  })
  app.route('/', insightRoutes(insights, clock))
  ended.abort()
  const ask = () =>
    app.request('/insight/caches', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ buildIds: [id] }),
    })
  for (let at = 0; at < 80; at++) expect((await ask()).status).toBe(200)
})
