import { array, assert, constantFrom, jsonValue, property } from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { elementTexts } from './intake-endpoint.ts'
import { event } from './seed.test-support.ts'
import { accessKey, serve, type Serving } from './serving.test-support.ts'

const v2 = '/build-export/v2'
const tool = { toolType: 'npm', toolVersion: '11.0', agentVersion: '3.2' }

let serving: Serving
beforeEach(async () => {
  const credentials = [
    { user: 'ada', accessKey, permissions: ['publishScan', 'exportData'] as const },
    { user: 'bob', accessKey: 'key-of-bob', permissions: ['exportData'] as const },
  ]
  serving = await serve({ credentials })
})
afterEach(() => serving.stop())

function post(body: BodyInit, type = 'application/json', bearer = accessKey): Promise<Response> {
  const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': type }
  return serving.request('/embedded/builds', { method: 'POST', headers, body })
}

async function problemOf(answer: Response): Promise<string> {
  const problem = z.object({ status: z.number(), detail: z.string() }).parse(await answer.json())
  return `${problem.status} ${problem.detail}`
}

async function texts(buildId: string): Promise<readonly string[]> {
  const { ended, data } = await serving.stream(`${v2}/build/${buildId}/events`)
  await ended
  return data.slice(1)
}

describe('a build as JSON', () => {
  test('is stored as it is sent and appears in open streams at once', async () => {
    const live = await serving.stream(`${v2}/builds/since/now?stream`)
    await live.until(1)
    const build = { buildId: 'postedposted1', timestamp: 7, ...tool, extra: 1 }
    const events = `[ ${event('A')},\n${event('B', '{"n":1.50}')} ]`
    const body = `{"build":${JSON.stringify(build)},"attributes":{"projectName":"x"},"events":${events}}`
    const answer = await post(body)
    expect(answer.status).toBe(201)
    expect(await answer.json()).toEqual({ buildId: 'postedposted1', events: 2 })
    await live.until(2)
    expect(JSON.parse(live.data[0] ?? '')).toEqual(build)
    expect(await texts('postedposted1')).toEqual([event('A'), event('B', '{"n":1.50}')])
    const row = await serving.database.kysely
      .selectFrom('build_facts')
      .select('facts')
      .executeTakeFirst()
    expect(JSON.parse(row?.facts ?? '')).toMatchObject({ project: 'x', buildTool: 'npm' })
  })

  test('needs no id, no time, no attributes and no events', async () => {
    const answer = await post(JSON.stringify({ build: tool }))
    const { buildId } = z.object({ buildId: z.string() }).parse(await answer.json())
    expect(buildId).toMatch(/^[a-z0-9]{13}$/)
    const listed = await serving.stream(`${v2}/builds/since/1000000`)
    await listed.ended
    expect(listed.seen).toEqual([`Build ${buildId}`])
  })

  test('is refused where the id exists', async () => {
    const body = JSON.stringify({ build: { buildId: 'postedposted1', ...tool } })
    expect((await post(body)).status).toBe(201)
    expect(await problemOf(await post(body))).toBe('409 Build postedposted1 already exists.')
  })

  test.each([
    ['', "400 The body isn't valid JSON"],
    ['{"build":', "400 The body isn't valid JSON"],
    ['[]', "400 The body isn't valid:"],
    ['{}', 'build: '],
    [JSON.stringify({ build: { ...tool, toolType: 7 } }), 'build.toolType: '],
    [JSON.stringify({ build: { ...tool, buildId: 'x' } }), 'build.buildId: must be 13'],
    [JSON.stringify({ build: { ...tool, timestamp: -1 } }), 'build.timestamp: '],
    [`{"build":${JSON.stringify(tool)},"events":{}}`, 'events: '],
    [`{"build":${JSON.stringify(tool)},"events":[${event('A')},{"x":1}]}`, 'events[1].timestamp: '],
    [`{"build":${JSON.stringify(tool)},"attributes":{"tags":"CI"}}`, 'attributes.tags: '],
  ])('%s is refused with what is wrong where', async (body, mistake) => {
    const answer = await problemOf(await post(body))
    expect(answer).toMatch(/^400 /)
    expect(answer).toContain(mistake)
  })

  test('is refused over 32 MB', async () => {
    const body = JSON.stringify({ build: { ...tool, filler: 'x'.repeat(33 * 1024 * 1024) } })
    expect(await problemOf(await post(body))).toMatch(/^413 .*Send it as NDJSON/)
  })
})

describe('a build as NDJSON', () => {
  test.each(['application/x-ndjson', 'application/jsonl; charset=utf-8'])('%s', async (type) => {
    const live = await serving.stream(`${v2}/builds/since/now?stream`)
    await live.until(1)
    const answer = await post(`${JSON.stringify(tool)}\n${event('A')}\n${event('B')}\n`, type)
    expect(answer.status).toBe(201)
    const { buildId } = z.object({ buildId: z.string() }).parse(await answer.json())
    await live.until(2)
    expect(live.seen).toEqual([':', `Build ${buildId}`])
    expect(await texts(buildId)).toEqual([event('A'), event('B')])
  })

  test('a wrong line is named', async () => {
    const answer = await post(
      `${JSON.stringify(tool)}\n${event('A')}\n{"x":1}\n`,
      'application/jsonl',
    )
    expect(await problemOf(answer)).toMatch(/^400 Line 3 .* isn't an event: timestamp: /)
  })
})

test('a credential with the permission to publish is needed', async () => {
  const body = JSON.stringify({ build: tool })
  expect((await post(body, 'application/json', 'unknown')).status).toBe(401)
  expect((await post(body, 'application/jsonl', 'key-of-bob')).status).toBe(403)
  expect((await serving.request(`${v2}/builds/since/0`)).status).toBe(204)
})

test('64-bit integers, spaces and escapes stay as they stand', () => {
  const text =
    '{ "a" : ["]"], "events" : [ {"id": -7978837427190732235, "s":"\\"}],["} ,\t[1.50 ] , "x,y"] }'
  expect(elementTexts(text, 'events')).toEqual([
    '{"id": -7978837427190732235, "s":"\\"}],["}',
    '[1.50 ]',
    '"x,y"',
  ])
})

test('each element is on one line', () => {
  expect(elementTexts('{"events":[{\r\n  "a": 1\n}\n,\n2]}', 'events')).toEqual([
    '{   "a": 1 }',
    '2',
  ])
})

test.each([
  '{}',
  '{"events":[]}',
  '{"events":null}',
  '{"events":"[1]"}',
  '{"x":{"events":[1]}}',
  '[]',
])('%s has none', (text) => {
  expect(elementTexts(text, 'events')).toEqual([])
})

test('of members with one name the last counts, as with JSON.parse', () => {
  expect(elementTexts('{"events":[1],"events":[2,3]}', 'events')).toEqual(['2', '3'])
})

test('a member name may be written with escapes', () => {
  expect(elementTexts('{"ev\\u0065nts":[1]}', 'events')).toEqual(['1'])
})

test('the elements are those of JSON.parse, for any JSON and any layout', () => {
  // As JSON has them: it knows no -0.
  const value = jsonValue().map((json) => JSON.parse(JSON.stringify(json)) as unknown)
  assert(
    property(
      array(value),
      value,
      constantFrom(undefined, 1, '\t', '\r\n'),
      (events, other, space) => {
        const text = JSON.stringify({ other, events, more: other }, null, space)
        const texts = elementTexts(text, 'events')
        expect(texts.map((one) => JSON.parse(one) as unknown)).toEqual(events)
        expect(texts.join('')).not.toMatch(/[\r\n]/)
      },
    ),
  )
})
