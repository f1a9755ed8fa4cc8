import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { ProblemDetail, ProblemError } from '../../../protocol/problem.ts'
import { SharedSearch } from '../../../protocol/shared-search.ts'
import { mistakesIn } from '../../../web/data/builds/build-list-reader.ts'
import { createMemoryLog } from '../../live-log/memory-log.ts'
import { createWaiters } from '../live/waiters.ts'
import { createSharedSearches } from './shared-search.ts'
import { listed, type ListQuestion, searchSetup } from './shared-search.test-support.ts'

const failed = 'buildOutcome:failed'
const isImpossible = ({ query }: ListQuestion): boolean => query?.includes('1969') === true
/** A server that searches: whatever is possible has two builds. */
const searching = (question: ListQuestion) =>
  isImpossible(question) ? [] : [listed(2, { hasFailed: true }), listed(1)]

/** The events of a Gradle build whose task `:test` failed. */
function failedEvents(buildId: string): string {
  const build = {
    ...{ buildId, timestamp: 1, toolType: 'gradle', toolVersion: '9', agentVersion: '4' },
  }
  const exception = {
    ...{ className: 'a.Failure', message: "Execution failed for task ':test'.", causes: [] },
    metadata: { taskPath: ':test' },
  }
  const data = {
    ExceptionData: { exceptions: { 1: exception }, stackTraces: {}, stackFrames: {} },
    BuildFinished: { failureId: 1, failure: null },
  }
  const events = Object.entries(data).map(([eventType, body], index) => {
    const type = { majorVersion: 1, minorVersion: 1, eventType }
    return sse(`${index + 1}`, 'BuildEvent', { timestamp: 5, type, data: body })
  })
  return [sse(buildId, 'Build', build), ...events].join('')
}

function sse(id: string, event: string, data: unknown): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

describe('a shared search', () => {
  test('is the newest builds with their facts, and says how old they are', async () => {
    const { searches, pass } = await searchSetup(searching)
    const first = await searches.request(failed)
    expect(SharedSearch.parse(first)).toMatchObject({
      ageMs: 0,
      search: 'supported',
      problem: null,
    })
    expect(first.builds.map(({ receivedAt, outcome }) => [receivedAt, outcome])).toEqual([
      [2000, 'failed'],
      [1000, 'succeeded'],
    ])
    await pass(10_000)
    expect(await searches.request(failed)).toMatchObject({ ageMs: 10_000, pollMs: 21_000 })
  })

  test('says why what still fails has failed, which its list does not, and reads that once', async () => {
    const reads: string[] = []
    const work = { requestedTasks: ['test'], rootProjectName: 'core' }
    const builds = [
      listed(4, { ...work, hasFailed: true }),
      listed(3, { ...work, hasFailed: true }),
      listed(2, { requestedTasks: ['docs'], rootProjectName: 'core' }),
      listed(1, { requestedTasks: ['docs'], rootProjectName: 'core', hasFailed: true }),
    ]
    const { searches, pass } = await searchSetup(
      (question) => (isImpossible(question) ? [] : builds),
      {
        eventsOf: (buildId) => {
          reads.push(buildId)
          return failedEvents(buildId)
        },
      },
    )
    const failures = async () => {
      const found = (await searches.request('project:core')).builds
      return found.map(({ failure }) => failure?.message)
    }
    const first = ["Execution failed for task ':test'.", undefined, undefined, undefined]
    expect(await failures()).toEqual(first)
    await pass(65_000)
    expect(await failures()).toEqual(first)
    expect(reads).toEqual(['b000000000004'])
  })

  test('goes to the server once a period for 300 screens with 300 tiles each', async () => {
    const { searches, asked, pass, server } = await searchSetup(searching)
    const queries = Array.from({ length: 300 }, (_, index) => `project:p${index}`)
    const allScreens = async (): Promise<void> => {
      for (let screen = 0; screen < 300; screen++) {
        await Promise.all(queries.map((query) => searches.request(query)))
      }
    }
    await allScreens()
    expect(asked().sort()).toEqual([...queries].sort())
    const learning = server.received.length - 300
    expect(learning).toBeLessThanOrEqual(4)
    for (let period = 2; period <= 3; period++) {
      await pass(30_000)
      await allScreens()
      expect(asked()).toHaveLength(300 * period)
    }
    expect(searches.size()).toBe(300)
  })

  test('meets others that mean the same and are spelled otherwise', async () => {
    const { searches, asked } = await searchSetup(searching)
    for (const query of ['tag:a AND tag:b', ' tag:a  and tag:b ', 'tag:a and tag:b']) {
      expect((await searches.request(query)).query).toBe('tag:a and tag:b')
    }
    await searches.request('buildStartTime>2026-01-01')
    expect(asked()).toEqual(['tag:a and tag:b', 'buildStartTime>2026-01-01T00:00Z'])
  })

  test('stops 90 seconds after the last screen that showed it', async () => {
    const { searches, asked, pass } = await searchSetup(searching)
    await searches.request(failed)
    await pass(10 * 60_000)
    expect(asked().length).toBeLessThanOrEqual(4)
    expect(searches.size()).toBe(0)
    await searches.request(failed)
    expect(searches.size()).toBe(1)
  })

  test('keeps its picture while the server fails, says so, and recovers', async () => {
    let isBroken = false
    const { searches, pass } = await searchSetup((question) =>
      isBroken ? { status: 503 } : searching(question),
    )
    await searches.request(failed)
    isBroken = true
    await pass(35_000)
    const broken = await searches.request(failed)
    expect(broken).toMatchObject({ ageMs: 35_000, search: 'supported', problem: { status: 503 } })
    expect(broken.builds).toHaveLength(2)
    isBroken = false
    await pass(35_000)
    expect(await searches.request(failed)).toMatchObject({ problem: null })
  })

  test('that failed is sent again as soon as the live feed hears the server again', async () => {
    let isDown = true
    const { searches, hear, pass } = await searchSetup((question) =>
      isDown ? { status: 503 } : searching(question),
    )
    expect(await searches.request(failed)).toMatchObject({ search: 'unknown' })
    hear(false)
    await pass(5000)
    isDown = false
    hear(true)
    await pass(5000)
    const answer = await searches.request(failed)
    expect(answer).toMatchObject({ search: 'supported', problem: null })
    expect(answer.builds).toHaveLength(2)
  })

  test('leaves nothing at the signal of its process, however often it is sent', async () => {
    const { searches, signal, pass } = await searchSetup(searching)
    const held = async (): Promise<number> => {
      await searches.request(failed)
      await pass(60_000)
      const process = signal()
      if (process === undefined) throw new Error('nothing was sent')
      const kept = Object.getOwnPropertySymbols(process)
        .map((symbol): unknown => Reflect.get(process, symbol))
        // Node's own sets aren't instances of `Set`.
        .map((value) => z.object({ size: z.number() }).safeParse(value).data?.size ?? 0)
      return kept.reduce((sum, size) => sum + size, 0)
    }
    const before = await held()
    await held()
    await held()
    expect(await held()).toBe(before)
    // What is counted shows what is kept: newer Nodes keep only what is listened to.
    const follower = AbortSignal.any([signal() ?? AbortSignal.abort()])
    follower.addEventListener('abort', () => undefined)
    expect(await held()).toBe(before + 1)
  })

  test('that the server does not allow names the permission', async () => {
    const { searches } = await searchSetup(() => ({ status: 403 }))
    const { problem } = await searches.request(failed)
    expect(problem?.status).toBe(403)
    expect(problem?.detail).toContain('permission “Access build data via the API”')
  })

  test('sends nothing at all before a Retry-After has passed', async () => {
    let isBusy = false
    const { searches, asked, pass } = await searchSetup((question) =>
      isBusy ? { status: 429, headers: { 'retry-after': '120' } } : searching(question),
    )
    await searches.request(failed)
    isBusy = true
    await pass(30_000)
    const refused = asked().length
    expect(refused).toBe(2)
    isBusy = false
    const waiting = searches.request('tag:other')
    for (let second = 0; second < 110; second += 10) {
      void searches.request(failed)
      await pass(10_000)
    }
    expect(asked()).toHaveLength(refused)
    expect(await waiting).toMatchObject({ builds: [], askedAt: null, search: 'unknown' })
    await pass(20_000)
    expect(asked().length).toBeGreaterThan(refused)
    expect((await searches.request(failed)).problem).toBeNull()
  })

  test('has at most four requests open, however many queries there are', async () => {
    const { searches, server } = await searchSetup(searching)
    let most = 0
    server.server.prependListener('request', () => {
      most = Math.max(most, server.open())
    })
    await searches.request('tag:first')
    await Promise.all(Array.from({ length: 100 }, (_, index) => searches.request(`tag:t${index}`)))
    expect(most).toBeLessThanOrEqual(4)
  })

  test('refuses one query more than there is room for, and makes room again', async () => {
    const { searches, pass } = await searchSetup(searching, { most: 2 })
    await searches.request('tag:a')
    await searches.request('tag:b')
    const refusal = searches.request('tag:c')
    await expect(refusal).rejects.toBeInstanceOf(ProblemError)
    await expect(refusal).rejects.toMatchObject({ status: 429, retryAfterMs: 90_000 })
    await searches.request('tag:a')
    await pass(95_000)
    await searches.request('tag:c')
    expect(searches.size()).toBeLessThanOrEqual(2)
  })

  test('refuses nobody but whoever alone wants too many', async () => {
    const { searches, pass } = await searchSetup(searching, { mostOfHolder: 2 })
    await searches.request('tag:a', 'screen 1')
    await searches.request('tag:b', 'screen 1')
    await expect(searches.request('tag:c', 'screen 1')).rejects.toMatchObject({
      status: 429,
      problem: { detail: expect.stringContaining('2 queries that nobody else does') as unknown },
    })
    await searches.request('tag:c', 'name ann')
    // What others want as well doesn't count, and may always be wanted.
    await searches.request('tag:c', 'screen 1')
    await searches.request('tag:a', 'name ann')
    await searches.request('tag:d', 'screen 1')
    await expect(searches.request('tag:e', 'screen 1')).rejects.toMatchObject({ status: 429 })
    await pass(95_000)
    await searches.request('tag:e', 'screen 1')
  })

  test('refuses a query with an error, with its position, and sends no request', async () => {
    const { searches, server } = await searchSetup(searching)
    const refusal = await searches.request('buildDuration>soon').catch((error: unknown) => error)
    const told = z.object({ problem: z.looseObject({ status: z.literal(400) }) }).parse(refusal)
    expect(mistakesIn(ProblemDetail.parse(told.problem))).toMatchObject([{ from: 14, to: 18 }])
    await expect(searches.request(`tag:${'x'.repeat(100_000)}`)).rejects.toMatchObject({
      status: 400,
    })
    expect(server.received).toEqual([])
  })

  test('says that the server does not accept one query, and goes on with the others', async () => {
    const { searches } = await searchSetup((question) =>
      question.query === 'tag:odd' ? { status: 400 } : searching(question),
    )
    expect(await searches.request('tag:odd')).toMatchObject({
      builds: [],
      problem: { status: 400, type: 'urn:sightline:problem:search-refused' },
    })
    expect((await searches.request(failed)).builds).toHaveLength(2)
  })

  test('of every build needs no query', async () => {
    const { searches, asked } = await searchSetup(searching)
    expect((await searches.request('')).builds).toHaveLength(2)
    expect(asked()).toEqual([''])
  })
})

describe('in. Use 127.0.0.1 behind a proxy that', () => {
  test.each([
    [
      'refuses queries',
      (question: ListQuestion) => (question.query === null ? [] : { status: 400 }),
    ],
    ['leaves queries out', () => [listed(1)]],
    ['has no list', () => ({ status: 404 })],
    ['has not implemented its list', () => ({ status: 501 })],
  ])('%s is distinguished, and not retried for some time', async (_, answer) => {
    const { searches, pass, server } = await searchSetup(answer)
    expect(await searches.request(failed)).toMatchObject({
      builds: [],
      search: 'unsupported',
      problem: null,
    })
    const learning = server.received.length
    await searches.request('tag:other')
    await pass(60_000)
    expect(await searches.request(failed)).toMatchObject({ search: 'unsupported' })
    expect(server.received).toHaveLength(learning)
  })

  test('has no build is not taken for one that searches, which its first builds show', async () => {
    let builds: unknown[] = []
    const { searches, pass } = await searchSetup(() => builds)
    expect(await searches.request(failed)).toMatchObject({ builds: [], search: 'supported' })
    builds = [listed(1)]
    await pass(60_000)
    expect(await searches.request(failed)).toMatchObject({ builds: [], search: 'unsupported' })
  })

  test('knows fewer tools gets requests for those alone', async () => {
    const known = ['gradle-attributes', 'maven-attributes', 'bazel-attributes']
    const { searches, server } = await searchSetup((question) =>
      question.models.some((model) => !known.includes(model))
        ? { status: 400 }
        : searching(question),
    )
    expect((await searches.request(failed)).builds).toHaveLength(2)
    const models = new URL(server.received.at(-1)?.url ?? '', server.url).searchParams.getAll(
      'models',
    )
    expect(models).toEqual(known)
  })

  test('answers nonsense does not end the wall', async () => {
    const { searches } = await searchSetup((question) =>
      isImpossible(question)
        ? []
        : [null, 'x', { id: 'no' }, listed(1), ...Array.from({ length: 80 }, () => listed(2))],
    )
    const { builds } = await searches.request(failed)
    expect(builds).toHaveLength(50)
  })

  test('gives odd fields loses these alone, and each is reported once', async () => {
    const { searches, pass, losses } = await searchSetup((question) =>
      isImpossible(question)
        ? []
        : [
            Object.assign({}, listed(3), { buildAgentVersion: null, models: 'none' }),
            Object.assign({}, listed(2, { hasFailed: true, tags: ['ok', 7] }), {
              buildToolVersion: 9,
            }),
            Object.assign({}, listed(1), { availableAt: 'soon' }),
          ],
    )
    const found = async () =>
      (await searches.request(failed)).builds.map(({ buildId, outcome, tags }) => [
        buildId.slice(-1),
        outcome,
        tags,
      ])
    expect(await found()).toEqual([
      ['3', undefined, undefined],
      ['2', 'failed', ['ok']],
    ])
    await pass(60_000)
    await found()
    expect(losses.toSorted()).toEqual([
      'b000000000001 availableAt is not a time',
      'b000000000002 tags[1] expected string',
      'b000000000003 buildAgentVersion is null, not a text',
      'b000000000003 models is not an object',
    ])
  })

  test('is away at first is found when it is there', async () => {
    let isAway = true
    const { searches, pass } = await searchSetup((question) =>
      isAway ? { status: 502 } : searching(question),
    )
    expect(await searches.request(failed)).toMatchObject({
      search: 'unknown',
      problem: { status: 502 },
    })
    isAway = false
    await pass(40_000)
    expect(await searches.request(failed)).toMatchObject({ search: 'supported', problem: null })
  })
})

test('a search that the server has not responded to for 10 s says so until it has', async () => {
  const clock = createManualClock()
  const respond: ((builds: []) => void)[] = []
  const searches = createSharedSearches({
    log: createMemoryLog(clock),
    hub: { follows: () => true, hears: () => true, untilStatus: createWaiters().wait },
    list: { newest: () => new Promise((resolve) => respond.push(resolve)) },
    ...{ clock, random: () => 0.5, logger: pino({ level: 'silent' }) },
  })
  onTestFinished(searches.close)
  const first = searches.request('project:shop')
  clock.advance(10_000)
  expect(await first).toMatchObject({
    search: 'unknown',
    problem: { detail: "The build server hasn't responded to this search yet." },
  })
  respond[0]?.([])
  await expect
    .poll(() => searches.request('project:shop'))
    .toMatchObject({ search: 'supported', problem: null })
})
