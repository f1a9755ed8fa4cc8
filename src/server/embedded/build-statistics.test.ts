import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readEventHead } from '../../facts/event.ts'
import { createBuildFailures } from '../../facts/insight/build-failures.ts'
import { createRowWriter } from '../../facts/insight/build-rows.ts'
import { runs } from '../../property-runs.test-support.ts'
import type { Facts } from '../../protocol/facts.ts'
import { BuildGroups, BuildTrends, type TrendPoint } from '../../protocol/insight.ts'
import { compile } from '../../search/match.ts'
import { parse } from '../../search/parse.ts'
import { createInsightEngine } from '../../web/data/insight/insight-engine.ts'
import type { FromInsightWorker } from '../../web/data/insight/insight-messages.ts'
import { findBuild } from '../store/build-listing.ts'
import { addBuilds, pruneBuilds, removeBuild } from '../store/build-writing.ts'
import type { Database } from '../store/database.ts'
import { onEachDatabase } from '../store/on-each-database.test-support.ts'
import { createBuildStatistics } from './build-statistics.ts'
import { createBuildCounter, startCounting } from './counting.ts'

const hour = 3_600_000
const day = 24 * hour
const begin = Date.UTC(2026, 1, 3)
const now = begin + 30 * day + 1234

const maybe = (...values: readonly string[]) => fc.constantFrom(null, undefined, ...values)
const knowledge = fc.record({
  buildTool: fc.constantFrom('gradle', 'maven', 'npm'),
  user: maybe('ada', 'Bob', 'ci'),
  project: maybe('shop', 'Shop', 'bank', 'ledger', 'a', 'b', 'c', 'd'),
  branch: maybe('main', 'topic/1', 'topic/2', 'release'),
  outcome: fc.constantFrom('succeeded', 'succeeded', 'failed', null, undefined),
  durationMs: fc.option(fc.integer({ min: 1, max: 5_000_000 }), { nil: undefined }),
  startTime: fc.integer({ min: begin, max: now }),
  requested: fc.constantFrom<(string[] | undefined)[]>(['build'], ['clean', 'test'], undefined),
  tags: fc.constantFrom<(string[] | undefined)[]>(['CI'], ['LOCAL'], undefined),
})

const size = 1000
const builds: readonly Facts[] = fc
  .sample(knowledge, { numRuns: size, seed: 11 })
  .map(({ branch, ...known }, n): Facts => ({
    ...known,
    buildId: `b${n.toString(36).padStart(12, '0')}`,
    receivedAt: begin + n * hour,
    buildToolVersion: '9',
    agentVersion: '4',
    values: typeof branch === 'string' ? [{ name: 'Git branch', value: branch }] : [],
  }))

const newBuild = (facts: Facts) => ({
  message: {
    buildId: facts.buildId,
    timestamp: facts.receivedAt,
    toolType: facts.buildTool,
    toolVersion: '9',
    agentVersion: '4',
  },
  attributes: null,
  events: [],
  facts,
})

const startOf = ({ startTime, receivedAt }: Facts): number => startTime ?? receivedAt
/** Queries tell no case of letters apart, and so do groups. */
const folded = (key: string | null): string | null => key?.toLowerCase() ?? null
const branchOf = ({ values }: Facts): string | null => values?.[0]?.value ?? null

/** What is counted, what isn't, and what mixes both. */
const condition = fc.constantFrom(
  ...['project:shop', 'project:sh*', '-project:bank', 'project:(*)', 'project:nowhere'],
  ...['value:"Git branch=main"', 'not value:"Git branch=topic*"', 'user:ci', 'user:bob'],
  ...['buildTool:gradle', 'buildOutcome:failed', 'buildOutcome:*', '-buildOutcome:failed'],
  ...['(project:shop or project:bank)', '(project:shop or user:ci)', 'tag:CI', 'buildDuration>1m'],
  ...['buildStartTime>2026-02-10T05:30', 'buildStartTime:[2026-02-05 to 2026-02-20]'],
  ...['buildStartTime:>-9d', 'requested:test', 'not (project:shop or project:bank)'],
)
const queryText = fc.array(condition, { maxLength: 3 }).map((parts) => parts.join(' '))
const by = fc.constantFrom(undefined, 'project', 'branch')
const moment = fc.option(fc.integer({ min: begin - day, max: now + 40 * day }), { nil: undefined })

const event = (eventType: string, data: object): string =>
  JSON.stringify({ timestamp: 1, type: { majorVersion: 1, minorVersion: 0, eventType }, data })

/** The events of a build of which up to two tasks and some tests failed. */
const failedBuild = fc
  .record({
    compiles: fc.subarray([':app:compile', ':lib:compile']),
    tests: fc.subarray(['first', 'second[1]', 'second[2]', 'third', 'fourth']),
  })
  .map(({ compiles, tests }): readonly string[] => {
    const exceptions = [
      ...compiles.map((path) => ['Compilation failed', path]),
      ...(tests.length === 0 ? [] : [['There were failing tests.', ':app:test']]),
    ]
    return [
      event('TaskStarted', { id: 7, path: ':app:test', className: null }),
      ...tests.flatMap((name, at) => [
        event('TestStarted', { task: 7, id: at, name, className: 'a.CartTest', suite: false }),
        event('TestFinished', { task: 7, id: at, failed: true, skipped: false }),
      ]),
      event('ExceptionData', {
        exceptions: Object.fromEntries(
          exceptions.map(([message, taskPath], at) => [
            String(at + 1),
            { className: 'a.Failure', message, causes: [], metadata: { taskPath } },
          ]),
        ),
      }),
      event('MvnBuildFinished', {
        failed: true,
        failureIds: exceptions.map((_, at) => String(at + 1)),
      }),
    ]
  })

onEachDatabase(laws)

function laws(open: () => Promise<Database>): void {
  let database: Database
  beforeAll(async () => {
    database = await open()
    await addBuilds(database, builds.map(newBuild))
  })
  afterAll(() => database.close())

  const statistics = (isWhole = true) =>
    createBuildStatistics({ database, isWhole: () => isWhole, now: () => now })
  const { signal } = new AbortController()

  test('trends are those of the builds that the query is true of', async () => {
    await fc.assert(
      fc.asyncProperty(queryText, by, moment, moment, async (text, grouping, from, to) => {
        const request = { query: parse(text), by: grouping, from, to, now, signal }
        const found = BuildTrends.parse(await statistics().trends(request))
        expectTrends(found, text, grouping, from, to, builds)
      }),
      {
        numRuns: runs(200),
        // Parts of ten minutes, which no count of hours knows; then of an hour, and of days.
        examples: [
          ['', 'project', begin + 7, begin + 6 * hour],
          ['', 'project', begin + 7, begin + day],
          ['', 'project', begin + 7, begin + 20 * day],
          // The last moment that is taken is in a year that no query can name.
          ['tag:CI', undefined, begin + 7, 8_640_000_000_000_000],
        ],
      },
    )
  })

  test('groups are those of the builds that the query is true of', async () => {
    const groupings = ['project', 'branch', 'user', 'tool', 'outcome', 'requested'] as const
    await fc.assert(
      fc.asyncProperty(queryText, fc.constantFrom(...groupings), async (text, grouping) => {
        const request = { query: parse(text), by: grouping, now, signal }
        const found = BuildGroups.parse(await statistics().groups(request))
        const matching = builds.filter(matcherOf(text))
        expect([text, found.builds, found.isAll]).toEqual([text, matching.length, true])
        const valueOf = {
          project: ({ project }: Facts) => project ?? null,
          branch: branchOf,
          user: ({ user }: Facts) => user ?? null,
          tool: ({ buildTool }: Facts) => buildTool,
          outcome: ({ outcome }: Facts) => outcome ?? null,
          requested: ({ requested }: Facts) => requested?.join(' ') ?? null,
        }[grouping]
        const keyOf = (one: Facts) => folded(valueOf(one))
        const wanted = new Map<string | null, Facts[]>()
        for (const one of matching) wanted.set(keyOf(one), [...(wanted.get(keyOf(one)) ?? []), one])
        expect(found.allGroups).toBe(wanted.size)
        expect(new Map(found.groups.map(({ key, builds: count }) => [folded(key), count]))).toEqual(
          new Map([...wanted].map(([key, list]) => [key, list.length])),
        )
        for (const group of found.groups) {
          const list = wanted.get(folded(group.key)) ?? []
          const failed = list.filter(({ outcome }) => outcome === 'failed').length
          expect(group.failed).toBe(failed)
          const spelled = new Map<string | null, number>()
          for (const one of list) spelled.set(valueOf(one), (spelled.get(valueOf(one)) ?? 0) + 1)
          expect(spelled.get(group.key)).toBe(Math.max(...spelled.values()))
          expect(group.firstSeen).toBe(Math.min(...list.map(startOf)))
          expect(group.lastSeen).toBe(Math.max(...list.map(startOf)))
          const newest = list.find(({ buildId }) => buildId === group.newestBuild)
          expect(newest).toBeDefined()
          expect(sum(group.bars, ({ builds: count }) => count)).toBe(list.length)
          expect(sum(group.bars, ({ failed: count }) => count)).toBe(failed)
          expect(group.bars.length).toBeLessThanOrEqual(30)
        }
      }),
      { numRuns: runs(200) },
    )
  })

  test('groups have nothing that started after the time that is asked for', async () => {
    const own = await open()
    const at = (id: string, startTime: number) =>
      newBuild({ ...required, buildId: id.padEnd(13, '0'), startTime })
    await addBuilds(own, [at('a', begin), at('b', begin + 40)])
    const some = createBuildStatistics({ database: own, isWhole: () => true, now: () => now })
    const query = parse(`buildStartTime<${new Date(begin + 31).toISOString()}`)
    const found = await some.groups({ query, by: 'tool', now, signal })
    expect(found).toMatchObject({ builds: 1, groups: [{ builds: 1, lastSeen: begin }] })
    await own.close()
  })

  test('a build that failed of several tests and tasks is in the group of each, as in the browser', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(failedBuild, { minLength: 1, maxLength: 12 }), async (failed) => {
        const own = await open()
        const posted: FromInsightWorker[] = []
        const engine = createInsightEngine((message) => posted.push(message))
        const all = failed.map((events, n) => {
          const facts: Facts = {
            ...required,
            buildId: `f${n.toString(36).padStart(12, '0')}`,
            outcome: 'failed',
            startTime: now - n,
          }
          const [counter, reading] = [createBuildCounter(), createBuildFailures()]
          for (const event of events) {
            counter.take(event)
            reading.take(event, readEventHead(event))
          }
          return { facts, counted: counter.result(facts), failures: reading.failures() }
        })
        await addBuilds(
          own,
          all.map(({ counted }) => ({ ...newBuild(counted.facts), counts: counted.counts })),
        )
        engine({ kind: 'builds', batch: createRowWriter()(all.map(({ facts }) => facts)) })
        engine({
          kind: 'failures',
          failures: all.map(({ facts: { buildId }, failures }) => ({ buildId, failures })),
        })
        engine({ kind: 'query', id: 1, query: { kind: 'groups', by: 'failure' } })
        const last = posted.at(-1)
        const folded =
          last?.kind === 'answer' && last.answer.kind === 'groups' ? last.answer.answer : undefined
        const some = createBuildStatistics({ database: own, isWhole: () => true, now: () => now })
        const query = parse('buildOutcome:failed')
        const counted = await some.groups({ query, by: 'failure', now, signal })
        await own.close()
        const shown = (groups: BuildGroups | undefined) =>
          groups?.groups
            .map(({ key, builds, newestBuild, failure }) => ({
              ...{ key, builds, newestBuild },
              test: failure?.test?.name,
              task: failure?.task,
            }))
            .sort((one, other) => ((one.key ?? '') < (other.key ?? '') ? -1 : 1))
        expect(shown(counted)).toEqual(shown(folded))
        expect([counted.failed, folded?.failed]).toEqual([failed.length, failed.length])
      }),
      { numRuns: runs(12) },
    )
  })

  test('builds of which a branch is not the only one are looked at one by one', async () => {
    const own = await open()
    const two = { ...builds[0], values: ['a', 'b'].map((value) => ({ name: 'Git branch', value })) }
    await addBuilds(own, [newBuild({ ...two, ...required, startTime: now - 5 })])
    const some = createBuildStatistics({ database: own, isWhole: () => true, now: () => now })
    const query = parse('value:"Git branch=b"')
    expect((await some.trends({ query, now, signal })).builds).toBe(1)
    await own.close()
  })

  test('a build whose start is not known counts by when it was received', async () => {
    const own = await open()
    await addBuilds(own, [newBuild(required)])
    const some = createBuildStatistics({ database: own, isWhole: () => true, now: () => now })
    const found = await some.trends({ query: parse(''), from: now, to: now + 1, now, signal })
    expect(found.builds).toBe(1)
    const query = parse('buildStartTime>-1d')
    expect((await some.trends({ query, now, signal })).builds).toBe(0)
    expect((await some.groups({ query, by: 'tool', now, signal })).builds).toBe(0)
    await own.close()
  })

  test('builds that are not counted yet make it say so', async () => {
    const query = parse('')
    expect((await statistics(false).trends({ query, now, signal })).isAll).toBe(false)
    expect((await statistics(false).groups({ query, by: 'tool', now, signal })).isAll).toBe(false)
  })

  describe('of a database that changes', () => {
    test('builds that go are no longer counted, and those of an earlier release are in the end', async () => {
      const own = await open()
      const some = builds.slice(0, 400)
      await addBuilds(own, some.map(newBuild))
      await pruneBuilds(own, 150)
      const gone = await findBuild(own, some[399]?.buildId ?? '')
      if (gone !== undefined) await removeBuild(own, gone.position, gone.buildId)
      const left = some.slice(250, 399)
      const trends = async () => {
        const all = createBuildStatistics({ database: own, isWhole: () => true, now: () => now })
        for (const text of ['', 'project:sh* buildOutcome:failed', 'value:"Git branch=main"']) {
          const found = await all.trends({ query: parse(text), by: 'project', now, signal })
          expectTrends(found, text, 'project', undefined, undefined, left)
        }
      }
      await trends()
      const empty = await own.kysely.selectFrom('build_rollups').select('builds').execute()
      expect(empty.every(({ builds: count }) => count > 0)).toBe(true)

      const before = await own.kysely.selectFrom('build_rollups').selectAll().execute()
      await own.kysely.deleteFrom('build_rollups').execute()
      await own.kysely.deleteFrom('build_points').execute()
      await own.kysely.updateTable('point_backfill').set({ upto: 400 }).execute()
      const counting = startCounting(own, Promise.resolve(), (error) => {
        throw error
      })
      while (!counting.isWhole()) await new Promise((resolve) => setImmediate(resolve))
      await counting.stop()
      await trends()
      expect(await own.kysely.selectFrom('build_rollups').selectAll().execute()).toHaveLength(
        before.length,
      )
      await own.close()
    })
  })
}

const required = {
  buildId: 'b-with-branch',
  receivedAt: now,
  buildTool: 'gradle',
  buildToolVersion: '9',
  agentVersion: '4',
}

function matcherOf(text: string): (facts: Facts) => boolean {
  const matches = compile(parse(text), { now, timeZone: 'UTC', absent: 'none' })
  return (facts) => matches(facts) === 'yes'
}

function sum<T>(list: readonly T[], of: (one: T) => number): number {
  return list.reduce((total, one) => total + of(one), 0)
}

function expectTrends(
  found: BuildTrends,
  text: string,
  grouping: 'project' | 'branch' | undefined,
  from: number | undefined,
  to: number | undefined,
  all: readonly Facts[],
): void {
  const matches = matcherOf(text)
  const matching = all.filter(
    (one) => matches(one) && startOf(one) >= (from ?? -Infinity) && startOf(one) < (to ?? Infinity),
  )
  expect([text, from, to, found.builds, found.isAll]).toEqual([
    text,
    from,
    to,
    matching.length,
    true,
  ])
  const [whole, ...series] = found.series
  expect(whole?.key).toBeNull()
  expect(found.series.length).toBeLessThanOrEqual(6)
  expectPoints(found, whole, matching)
  if (grouping === undefined) expect(series).toEqual([])
  const keyOf = (one: Facts) =>
    folded(grouping === 'branch' ? branchOf(one) : (one.project ?? null))
  const sizes = new Map<string, number>()
  for (const one of matching) {
    const key = keyOf(one)
    if (key !== null) sizes.set(key, (sizes.get(key) ?? 0) + 1)
  }
  if (grouping === undefined) return
  const largest = [...sizes.values()].sort((a, b) => b - a).slice(0, 5)
  expect(series.map(({ total }) => total?.builds)).toEqual(largest)
  for (const one of series) {
    expectPoints(
      found,
      one,
      matching.filter((build) => keyOf(build) === folded(one.key)),
    )
  }
}

function expectPoints(
  { from }: BuildTrends,
  series: BuildTrends['series'][number] | undefined,
  list: readonly Facts[],
): void {
  const { points = [], total } = series ?? {}
  expect(points.length).toBeLessThanOrEqual(40)
  const step = (points[1]?.from ?? Infinity) - (points[0]?.from ?? 0)
  for (const [place, point] of points.entries()) {
    if (step !== Infinity) expect(point.from).toBe(from + place * step)
    const within = list.filter(
      (one) => startOf(one) >= point.from && startOf(one) < point.from + step,
    )
    expectPoint(point, within)
  }
  if (total !== undefined) expectPoint(total, list)
}

function expectPoint(point: TrendPoint, list: readonly Facts[]): void {
  const count = (outcome: string): number => list.filter((one) => one.outcome === outcome).length
  expect([point.builds, point.succeeded, point.failed]).toEqual([
    list.length,
    count('succeeded'),
    count('failed'),
  ])
  const durations = list
    .flatMap(({ durationMs }) => (typeof durationMs === 'number' ? [durationMs] : []))
    .sort((a, b) => a - b)
  for (const [share, found] of [
    [0.5, point.p50],
    [0.95, point.p95],
  ] as const) {
    const exact = durations[Math.max(0, Math.ceil(share * durations.length) - 1)]
    if (exact === undefined) expect(found).toBeNull()
    else expect(Math.abs((found ?? NaN) - exact)).toBeLessThanOrEqual(Math.max(1, exact * 0.05))
  }
}
