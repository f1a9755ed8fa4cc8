import { describe, expect, test } from 'vitest'
import { toBuildSummary } from '../../../protocol/build-data.ts'
import { createByteBudget } from './build-facts.ts'
import { buildNumber, buildNumbers } from './hostile-upstream.test-support.ts'
import { until } from './hub-on-socket.test-support.ts'

import {
  learn,
  type Learning,
  counter,
  where,
  one,
  list,
  events,
  everything,
  withAttributes,
  buildOf,
  listBody,
  eventsBody,
  sse,
} from './build-facts.test-support.ts'

const attributes = where(one, 200, (match) => JSON.stringify(withAttributes(buildOf(match))))
const noAttributes = where(/^\/api\//, 404)
const fewEvents = where(events, 200, eventsBody, Infinity, sse)

/** One build is wanted and becomes known. */
async function learnFirst({ wantAll, learned }: Learning): Promise<void> {
  wantAll([buildNumber(0)])
  await until(() => learned.length === 1)
}

function event(eventType: string, data: unknown): string {
  const type = { majorVersion: 1, minorVersion: 0, eventType }
  return `event: BuildEvent\ndata: ${JSON.stringify({ timestamp: 1, type, data })}\n\n`
}

describe('facts from attributes', () => {
  test('of builds that follow one another come with one request for many', async () => {
    const learning = await learn(attributes, where(list, 200, listBody))
    learning.wantAll(everything)
    await until(() => learning.learned.length === 300)
    expect(learning.paths().length).toBeLessThan(10)
    for (const { buildId, tags, outcome } of learning.learned) {
      expect({ tags, outcome }).toEqual({ tags: [buildId], outcome: 'succeeded' })
    }
    expect(new Set(learning.learned.map(({ buildId }) => buildId)).size).toBe(300)
  })

  test('with one odd field lose that field alone, which is named', async () => {
    const { buildId } = buildNumber(0)
    const odd = {
      id: buildId,
      availableAt: 'soon',
      models: { mavenAttributes: { model: { hasFailed: true, tags: ['ok', null] } } },
    }
    const learning = await learn(where(one, 200, () => JSON.stringify(odd)))
    await learnFirst(learning)
    expect(learning.learned[0]).toMatchObject({ outcome: 'failed', tags: ['ok'] })
    expect(learning.losses).toEqual([`GET /api/builds/:buildId ${buildId} tags[1] expected string`])
  })

  test('of one build request only the models of its tool', async () => {
    const learning = await learn(attributes)
    await learnFirst(learning)
    expect(learning.paths()).toEqual([
      `/api/builds/${buildNumber(0).buildId}?models=maven-attributes`,
    ])
  })

  test('that are not there yet are requested again', async () => {
    const incomplete = JSON.stringify({
      ...toBuildSummary(buildNumber(0)),
      models: { mavenAttributes: { problem: { title: 'Processing', status: 503 } } },
    })
    const learning = await learn(
      where(one, 503, () => '', 2, { 'retry-after': '1' }),
      where(one, 200, () => incomplete, 2),
      attributes,
    )
    await learnFirst(learning)
    expect(learning.paths()).toHaveLength(5)
  })

  test('are requested one by one when the list leaves some out', async () => {
    const learning = await learn(
      where(list, 200, () => '[]'),
      attributes,
    )
    learning.wantAll(buildNumbers(0, 4))
    await until(() => learning.learned.length === 4)
  })
})

describe('facts from events', () => {
  test.each([
    ['does not know the resource', noAttributes],
    ['refuses it', where(/^\/api\//, 403)],
    ['does not know the parameter', where(/^\/api\//, 400)],
    [
      'leaves the models out',
      where(one, 200, (match) => JSON.stringify(toBuildSummary(buildOf(match)))),
    ],
    [
      'has none for the build',
      where(one, 200, (match) =>
        JSON.stringify({
          ...toBuildSummary(buildOf(match)),
          models: { mavenAttributes: { problem: { title: 'Not applicable', status: 400 } } },
        }),
      ),
    ],
    ['answers nonsense', where(/^\/api\//, 200, () => '<html>')],
  ])('are read where the server %s', async (_, answer) => {
    const learning = await learn(answer, fewEvents)
    await learnFirst(learning)
    expect(learning.learned[0]).toMatchObject({
      buildId: buildNumber(0).buildId,
      tags: [buildNumber(0).buildId],
      outcome: 'succeeded',
    })
    expect(learning.paths().at(-1)).toContain('eventTypes=')
  })

  test('come from at most six builds at a time, and attributes are not requested again', async () => {
    let open = 0
    let most = 0
    const learning = await learn(noAttributes, (request, response) => {
      const match = events.exec(new URL(request.url ?? '/', 'http://upstream.invalid').pathname)
      if (match === null) return false
      most = Math.max(most, ++open)
      setImmediate(() => {
        open--
        response.writeHead(200, sse).end(eventsBody(match))
      })
      return true
    })
    learning.wantAll(everything)
    await until(() => learning.learned.length === 300)
    expect(most).toBeLessThanOrEqual(6)
    expect(learning.paths().filter((path) => path.startsWith('/api/')).length).toBeLessThan(150)
  })

  test('are waited for while the build is still being stored', async () => {
    const learning = await learn(
      noAttributes,
      where(events, 503, () => '', 5, { 'retry-after': '2' }),
      fewEvents,
    )
    await learnFirst(learning)
    expect(learning.paths().filter((path) => path.includes('/events'))).toHaveLength(6)
  })

  test('begin again when the server announces the build a second time', async () => {
    const learning = await learn(
      noAttributes,
      where(events, 200, (match) => eventsBody(match) + eventsBody(match), Infinity, sse),
    )
    await learnFirst(learning)
    expect(learning.learned[0]?.tags).toEqual([buildNumber(0).buildId])
  })

  test('are read again when the stream breaks in the middle', async () => {
    let broken = 0
    const learning = await learn(
      noAttributes,
      (request, response) => {
        if (!events.test(request.url?.split('?')[0] ?? '') || broken++ > 0) return false
        response.writeHead(200, sse)
        response.write('id: 1\nevent: Bu', () => response.socket?.destroy())
        return true
      },
      fewEvents,
    )
    await learnFirst(learning)
    expect(broken).toBe(2)
  })

  test('of a tool without attributes are read at once', async () => {
    const learning = await learn(fewEvents)
    learning.wantAll([{ ...buildNumber(0), toolType: 'novelty' }])
    await until(() => learning.learned.length === 1)
    expect(learning.paths()).toHaveLength(1)
  })

  test('of a tool without attributes lose none of the builds that come together with it', async () => {
    const learning = await learn(attributes, where(list, 200, listBody), fewEvents)
    const isNovelty = (index: number): boolean => index % 5 === 1
    learning.wantAll(
      everything.map((build, index) =>
        isNovelty(index) ? { ...build, toolType: 'novelty' } : build,
      ),
    )
    await until(() => learning.learned.length === everything.length)
    const read = learning.paths().filter((path) => path.includes('/events'))
    expect(read).toHaveLength(everything.filter((_, index) => isNovelty(index)).length)
  })
})

describe('facts of tests', () => {
  const gradle = { ...buildNumber(0), toolType: 'gradle' }
  const run = (id: number, name: string, failed: boolean, task = 7): string =>
    event('TestStarted', {
      task,
      id,
      parent: null,
      name,
      className: 'shop.CartTest',
      suite: false,
    }) + event('TestFinished', { task, id, failed, skipped: false, failureId: null })
  const tasks =
    event('TaskStarted', { id: 7, path: ':test', className: null }) +
    event('TaskStarted', { id: 8, path: ':lib:test', className: null })
  /** Answers with the few events, and where those of tests are requested with these. */
  const withTests = (tests: string) =>
    where(
      events,
      200,
      (match, url) =>
        (url.searchParams.get('eventTypes') ?? '').includes('TestFinished')
          ? tests
          : eventsBody(match),
      Infinity,
      sse,
    )

  test('name those that failed, those that were tried again, and the tasks that passed', async () => {
    const learning = await learn(
      noAttributes,
      withTests(
        tasks +
          run(1, 'adds', true) +
          run(2, 'pays', true) +
          run(3, 'pays', false) +
          run(4, 'works', false, 8),
      ),
    )
    learning.wantAll([gradle])
    await until(() => learning.learned.length === 2)
    const [first, second] = learning.learned
    expect(first?.tests).toBeUndefined()
    expect(second).toEqual({
      ...first,
      tests: {
        failed: [{ task: ':test', name: 'CartTest.adds' }],
        flaky: [{ task: ':test', name: 'CartTest.pays' }],
        passedTasks: [':lib:test'],
      },
    })
    expect(counter(learning, 'facts_learned')).toBe(1)
    expect(JSON.parse(learning.known.get(gradle.buildId) ?? '')).toMatchObject({
      facts: { tests: second?.tests },
    })
  })

  test.each([
    ['there are none', ''],
    ['there are too many to read', tasks + run(1, 'adds', true) + `: ${'x'.repeat(5_000_000)}\n\n`],
    ['the answer ends in the middle of one', tasks + run(1, 'adds', true) + 'event: Bui'],
  ])('are not known where %s, and the others are', async (_, body) => {
    const learning = await learn(noAttributes, withTests(body))
    learning.wantAll([gradle])
    await until(() => learning.learned.length === 1 && learning.paths().length === 3)
    await learning.facts.close()
    expect(learning.learned).toHaveLength(1)
    expect(learning.learned[0]?.outcome).toBe('succeeded')
  })

  test('are read within a budget for each minute', () => {
    let now = 0
    const megabytes = (count: number) => count * 1024 * 1024
    const budget = createByteBudget({ now: () => now })
    now = 90_000
    expect([budget.take(megabytes(30)), budget.take(megabytes(30))]).toEqual([
      megabytes(30),
      megabytes(2),
    ])
    expect(budget.take(1)).toBe(0)
    budget.giveBack(megabytes(1))
    expect(budget.take(megabytes(4))).toBe(megabytes(1))
    now = 120_000
    expect(budget.take(megabytes(4))).toBe(megabytes(4))
  })
})

describe('why builds failed', () => {
  const gradle = { ...buildNumber(1), toolType: 'gradle' }
  const finished = event('BuildFinished', { failureId: '7' })
  const exceptions = event('ExceptionData', {
    exceptions: {
      '7': { className: 'a.Trouble', message: 'x'.repeat(400), metadata: { taskPath: ':test' } },
    },
  })
  const withOutcome = (hasFailed: boolean) =>
    where(one, 200, (match) => {
      const model = { buildDuration: 1, hasFailed }
      return JSON.stringify({
        ...toBuildSummary(buildOf(match)),
        models: { mavenAttributes: { model }, gradleAttributes: { model } },
      })
    })
  const answered = (body: string) => where(events, 200, () => body, Infinity, sse)
  const readings = ({ paths }: { readonly paths: () => readonly string[] }) =>
    paths().filter((path) => path.includes('/events'))

  test('is learned after what the attributes say, with one small request', async () => {
    const learning = await learn(withOutcome(true), answered(finished + exceptions))
    learning.wantAll([gradle])
    await until(() => learning.learned.length === 2)
    const [first, second] = learning.learned
    expect(first?.failure).toBeUndefined()
    const failure = { message: 'x'.repeat(300), exception: 'a.Trouble', task: ':test' }
    expect(second).toEqual({ ...first, failure })
    expect(readings(learning)).toEqual([
      `/build-export/v2/build/${gradle.buildId}/events?eventTypes=BuildFinished,MvnBuildFinished,ExceptionData,MvnExceptionData`,
    ])
    expect(JSON.parse(learning.known.get(gradle.buildId) ?? '')).toMatchObject({
      facts: { failure },
    })
  })

  test('is not read of builds that succeeded', async () => {
    const learning = await learn(withOutcome(false), answered(''))
    learning.wantAll([gradle])
    await until(() => learning.learned.length === 1)
    await learning.facts.close()
    expect(readings(learning)).toEqual([])
    expect(learning.learned[0]).not.toHaveProperty('failure')
  })

  test('is learned of one build at a time', async () => {
    let open = 0
    let most = 0
    const learning = await learn(withOutcome(true), (request, response) => {
      if (!(request.url ?? '').includes('/events')) return false
      most = Math.max(most, ++open)
      setImmediate(() => {
        open--
        response.writeHead(200, sse).end(finished + exceptions)
      })
      return true
    })
    for (const build of buildNumbers(0, 40)) {
      learning.facts.want(build, { previous: undefined, isOld: true })
    }
    await until(() => learning.learned.length === 80)
    expect(most).toBe(1)
    const known = learning.learned.filter(({ failure }) => failure !== undefined)
    expect(new Set(known.map(({ buildId }) => buildId)).size).toBe(40)
  })

  test('stays unknown where the server does not say, and nothing else is lost', async () => {
    const learning = await learn(withOutcome(true), where(events, 404))
    learning.wantAll([gradle])
    await until(() => readings(learning).length > 0)
    await learning.facts.close()
    expect(learning.learned.map(({ outcome }) => outcome)).toEqual(['failed'])
  })
})

describe('facts that cannot be had', () => {
  test('are given up after a while and counted', async () => {
    const learning = await learn(where(/./, 500))
    learning.wantAll([buildNumber(0)])
    await until(() => counter(learning, 'facts_unknown') === 1)
    expect(learning.facts.gauges().facts_waiting).toBe(0)
    expect(learning.paths().length).toBeGreaterThan(5)
    // What it announced is all that there is: nobody waits for more.
    expect(learning.learned).toMatchObject([{ buildId: buildNumber(0).buildId }])
    expect(learning.learned[0]?.outcome).toBeUndefined()
  })

  test('because the server knows nothing of the build are given up at once', async () => {
    const learning = await learn(where(/./, 404))
    learning.wantAll([buildNumber(0)])
    await until(() => counter(learning, 'facts_unknown') === 1)
    expect(learning.paths()).toHaveLength(2)
  })

  test('of more builds than can be waited for are given up for the oldest', async () => {
    const learning = await learn(where(/^\/api\//, 500))
    for (const build of buildNumbers(0, 15_000)) {
      learning.facts.want(build, { previous: undefined, isOld: true })
    }
    expect(counter(learning, 'facts_unknown')).toBe(5000)
    expect(learning.facts.gauges().facts_waiting).toBe(10_000)
  })
})
