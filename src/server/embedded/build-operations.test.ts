import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { BuildGroups, BuildTrends } from '../../protocol/insight.ts'
import { generateHistory } from './content/history.ts'
import { serve, type Serving } from './serving.test-support.ts'

/** Groups and trends as clients get them, over builds that came with their events. */

const now = Date.UTC(2026, 6, 20, 12)
const Performance = z.looseObject({
  taskExecution: z.optional(z.array(z.looseObject({ avoidanceOutcome: z.string() }))),
  goalExecution: z.optional(z.array(z.looseObject({ avoidanceOutcome: z.string() }))),
})

let serving: Serving
const history = [...generateHistory({ seed: 3, count: 120, until: now })]

beforeAll(async () => {
  serving = await serve()
  await serving.addAll(history)
})
afterAll(() => serving.stop())

async function ask(path: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await serving.request(path)
  return { status: response.status, body: await response.json() }
}

test('failed builds are grouped by why they failed, with the failure of the newest', async () => {
  const { body } = await ask('/api/builds/groups?by=failure')
  const { builds, isAll, groups } = BuildGroups.parse(body)
  expect([builds, isAll]).toEqual([history.length, true])
  const known = groups.filter(({ key }) => key !== null)
  expect(known.length).toBeGreaterThan(0)
  for (const { key, failure, builds: count, failed, newestBuild } of known) {
    expect(failed).toBe(count)
    expect(failure?.message).not.toBe('')
    const said = failure?.test?.className ?? failure?.exception?.split('.').at(-1)
    expect(key).toContain(said)
    expect(history.map(({ message }) => message.buildId)).toContain(newestBuild)
  }
})

test('trends say how many of the tasks that could come from the build cache did', async () => {
  const { series } = BuildTrends.parse((await ask('/api/builds/trends')).body)
  const total = series[0]?.total
  let [hits, cacheable] = [0, 0]
  for (const { message } of history) {
    if (message.toolType !== 'gradle' && message.toolType !== 'maven') continue
    const model = `${message.toolType}-build-cache-performance`
    const { body } = await ask(`/api/builds/${message.buildId}/${model}`)
    const { taskExecution, goalExecution } = Performance.parse(body)
    for (const { avoidanceOutcome } of taskExecution ?? goalExecution ?? []) {
      const isHit = avoidanceOutcome.endsWith('_cache')
      if (isHit) hits += 1
      if (isHit || avoidanceOutcome === 'executed_cacheable') cacheable += 1
    }
  }
  expect(cacheable).toBeGreaterThan(0)
  expect([total?.cacheHits, total?.cacheable]).toEqual([hits, cacheable])
})

describe('what is asked for wrongly', () => {
  test.each([
    ['groups', '/api/builds/groups', 'by'],
    ['groups by nothing known', '/api/builds/groups?by=weather', 'by'],
    ['trends by nothing known', '/api/builds/trends?by=user', 'by'],
    ['a time that is none', '/api/builds/trends?from=yesterday', 'from'],
    ['a time twice', '/api/builds/trends?to=1&to=2', 'to'],
    ['a time beyond all dates', '/api/builds/trends?to=9007199254740991', 'to'],
    ['a query with a mistake', '/api/builds/groups?by=tool&query=nofield:1', 'query'],
  ])('%s is refused by name', async (_, path, name) => {
    const { status, body } = await ask(path)
    expect(status).toBe(400)
    expect(JSON.stringify(body).toLowerCase()).toContain(name)
  })

  test('nobody without the permission, and no server of the oldest kind, answers', async () => {
    const anonymous = await serving.request('/api/builds/trends', {
      headers: { Authorization: '' },
    })
    expect(anonymous.status).toBe(401)
    const old = await serve({ models: false })
    expect((await old.request('/api/builds/trends')).status).toBe(404)
    await old.stop()
  })

  test('an empty database has no groups, and a trend without builds', async () => {
    const empty = await serve()
    const groups = BuildGroups.parse(
      await (await empty.request('/api/builds/groups?by=tool')).json(),
    )
    expect(groups).toMatchObject({ builds: 0, groups: [], allGroups: 0 })
    const trends = BuildTrends.parse(await (await empty.request('/api/builds/trends')).json())
    expect(trends).toMatchObject({ builds: 0 })
    await empty.stop()
  })
})
