import type {
  TestId,
  TestList,
  TestNarrowing,
  TestRow,
  TestRuns,
  TestSummary,
} from '../../protocol/test-insight.ts'
import { createTestFacets } from './test-facets.ts'
import type { TestedBuild } from './test-results.ts'
import {
  createTestRuns,
  hasFailed,
  runOutcomes,
  type RunsByTest,
  type TestRunTable,
  wasRetried,
  wasSkipped,
} from './test-runs.ts'

export interface TestsWanted {
  /** Only tests whose project, task, class or name contains it, in whatever case; empty: all. */
  readonly search: string
  /** From which place on each list is wanted, and how much of it. */
  readonly offset: number
  readonly limit: number
  /** Only tests of these facets; of all without it. */
  readonly narrow?: TestNarrowing
  readonly quarantined?: readonly TestId[]
}

/** Who looks after tests, and which branches are judged. */
export interface TestHistoryOptions {
  readonly defaultBranchOf?: (project: string) => string | undefined
  readonly ownerOf?: (test: TestId) => string | undefined
}

/** The tests of many builds, folded as the builds become known, in whatever order. */
export interface TestHistory {
  /** Takes the results of a build; of one that it has already, none. */
  readonly add: (build: TestedBuild) => void
  readonly size: () => { readonly tests: number; readonly results: number }
  /** What is known of all tests. It pauses often; builds that are added before it ends may be missing. */
  readonly summary: (wanted: TestsWanted) => Generator<void, TestSummary>
  /** All runs of one test; undefined where it isn't known. */
  readonly runsOf: (test: TestId) => Generator<void, TestRuns | undefined>
}

/** So many of the newest runs stand in a row. */
const longestHistory = 30
/** Between two pauses so many tests are looked at. */
const testsAtOnce = 1_000
/** The newer half of the runs is slower if its median is so many times that of the older, and so many ms more. */
const slower = { times: 1.33, ms: 50, fewest: 4 }

/** A history without builds. */
export function createTestHistory(options: TestHistoryOptions = {}): TestHistory {
  const table = createTestRuns(options.defaultBranchOf ?? (() => undefined))
  const { ownerOf = () => undefined } = options

  function* summary(asked: TestsWanted): Generator<void, TestSummary> {
    const { search, offset, limit, narrow = {}, quarantined = [] } = asked
    const facets = createTestFacets(table, narrow, { ownerOf, quarantined })
    const wanted = yield* testsInOrder(table, search.toLowerCase())
    const runs = yield* table.byTest()
    const judge = createTestJudge(table, runs)
    const p95 = createPercentile(table, runs)
    // Both by test: a map would take longer than the judging.
    const standings = new Array<TestStanding | undefined>(runs.tests)
    const longest = new Float64Array(runs.tests)
    const lists = byList((): number[] => [])
    for (const [index, test] of wanted.entries()) {
      if (index % testsAtOnce === testsAtOnce - 1) yield
      if (!facets.isNear(test)) continue
      const standing = judge(test)
      const ms = p95(test)
      standings[test] = standing
      longest[test] = ms
      const on = listsOf(standing, ms)
      if (facets.count(test, on)) for (const list of on) lists[list].push(test)
    }
    const since = (test: number): number => standings[test]?.since ?? 0
    const flaky = (test: number): number => standings[test]?.flaky ?? 0
    for (const list of [lists.failing, lists.newly]) list.sort((a, b) => since(a) - since(b))
    lists.flaky.sort((a, b) => flaky(b) - flaky(a))
    yield
    lists.slowest.sort((a, b) => (longest[b] ?? 0) - (longest[a] ?? 0))
    yield
    const rows: TestRow[] = []
    const placeOf = new Map<number, number>()
    const shown = byList((name) => lists[name].slice(offset, offset + limit))
    for (const test of Object.values(shown).flat()) {
      const standing = standings[test]
      if (placeOf.has(test) || standing === undefined) continue
      placeOf.set(test, rows.push(rowOf(runs, test, standing, longest[test] ?? -1)) - 1)
      if (rows.length % 100 === 0) yield
    }
    return {
      builds: runs.builds.map(readBuild),
      counts: byList((name) => lists[name].length),
      facets: facets.counts(),
      lists: byList((name) => shown[name].flatMap((test) => placeOf.get(test) ?? [])),
      rows,
    }
  }

  function rowOf(runs: RunsByTest, test: number, standing: TestStanding, ms: number): TestRow {
    const places = placesOf(runs, test)
    const resultAt = (at: number): number => runs.resultOf[at] ?? 0
    const outcomes = places.map((at) => table.outcomeOf(resultAt(at)))
    const change = slowerRuns(durations(table, runs, test))
    const message = places.flatMap((at) => table.messageOf(resultAt(at)) ?? [])[0]
    const id = table.idOf(test)
    const owner = ownerOf(id)
    const { state, isNew, flaky, since, inARow } = standing
    return {
      test: id,
      ...{ state, isNew, flaky },
      ...(state === 'failing' ? { since, inARow } : {}),
      runs: places.length,
      failed: outcomes.filter((outcome) => outcome === hasFailed).length,
      p95: ms < 0 ? null : ms,
      ...(change === undefined ? {} : { slower: change }),
      ...(message === undefined ? {} : { message }),
      history: places
        .slice(0, longestHistory)
        .map((at, index) => [runs.buildOf[at] ?? 0, runOutcomes[outcomes[index] ?? 0] ?? 'passed']),
      ...(owner === undefined ? {} : { owner }),
    }
  }

  function* runsOf(wanted: TestId): Generator<void, TestRuns | undefined> {
    const test = table.testNumber(wanted)
    if (test === undefined) return undefined
    const runs = yield* table.byTest()
    return {
      row: rowOf(
        runs,
        test,
        createTestJudge(table, runs)(test),
        createPercentile(table, runs)(test),
      ),
      builds: runs.builds.map(readBuild),
      runs: placesOf(runs, test).map((at) => {
        const result = runs.resultOf[at] ?? 0
        const [ms, message] = [table.msOf(result), table.messageOf(result)]
        return {
          build: runs.buildOf[at] ?? 0,
          outcome: runOutcomes[table.outcomeOf(result)] ?? 'passed',
          ms: ms < 0 ? null : ms,
          ...(message === undefined ? {} : { message }),
        }
      }),
    }
  }

  return {
    add: table.add,
    size: () => ({ tests: table.tests(), results: table.results() }),
    summary,
    runsOf,
  }
}

/** The tests that are searched for by project, class, task and name. */
function* testsInOrder(table: TestRunTable, folded: string): Generator<void, readonly number[]> {
  const found: number[] = []
  let since = 0
  for (const [, suite] of [...table.suites].sort(byText)) {
    const { project, task, className, tests } = suite
    const isWhole = [project, task, className].some((text) => text?.toLowerCase().includes(folded))
    for (const [name, test] of [...tests].sort(byText)) {
      if (isWhole || `${className ?? ''}.${name}`.toLowerCase().includes(folded)) found.push(test)
    }
    since += tests.size
    if (since < testsAtOnce) continue
    since = 0
    yield
  }
  return found
}

function listsOf({ state, isNew, flaky }: TestStanding, ms: number): readonly TestList[] {
  const lists: TestList[] = ['all']
  if (state === 'failing') lists.push('failing')
  if (isNew) lists.push('newly')
  if (flaky > 0) lists.push('flaky')
  if (state === 'skipped') lists.push('skipped')
  if (ms > 0) lists.push('slowest')
  return lists
}

function byText([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

function placesOf({ from }: RunsByTest, test: number): number[] {
  const [begin, end] = [from[test] ?? 0, from[test + 1] ?? 0]
  return Array.from({ length: end - begin }, (_, index) => begin + index)
}

/** Of the runs that took some time, newest first, ms. */
function durations(table: TestRunTable, { from, resultOf }: RunsByTest, test: number): number[] {
  const found: number[] = []
  for (let at = from[test] ?? 0; at < (from[test + 1] ?? 0); at++) {
    const result = resultOf[at] ?? 0
    const ms = table.msOf(result)
    if (ms >= 0 && table.outcomeOf(result) !== wasSkipped) found.push(ms)
  }
  return found
}

/** Finds the 95th percentile of the durations of tests by nearest rank, ms; -1 where none is known. */
function createPercentile(table: TestRunTable, { from, resultOf }: RunsByTest) {
  // The longest durations so far, the longest first: as many as there are from the rank on.
  let longest = new Float64Array(16)
  const msAt = (at: number): number => {
    const result = resultOf[at] ?? 0
    return table.outcomeOf(result) === wasSkipped ? -1 : table.msOf(result)
  }
  return (test: number): number => {
    const [begin, end] = [from[test] ?? 0, from[test + 1] ?? 0]
    let known = 0
    for (let at = begin; at < end; at++) if (msAt(at) >= 0) known++
    const kept = known - Math.ceil(known * 0.95) + 1
    if (kept > longest.length) longest = new Float64Array(kept * 2)
    longest.fill(-1, 0, kept)
    for (let at = begin; at < end; at++) {
      const ms = msAt(at)
      if (ms <= (longest[kept - 1] ?? 0)) continue
      let place = kept - 1
      for (; place > 0 && (longest[place - 1] ?? 0) < ms; place--) {
        longest[place] = longest[place - 1] ?? 0
      }
      longest[place] = ms
    }
    return longest[kept - 1] ?? -1
  }
}

function slowerRuns(newestFirst: readonly number[]): TestRow['slower'] {
  const half = newestFirst.length >> 1
  if (half < slower.fewest) return undefined
  const [from, to] = [medianOf(newestFirst.slice(half)), medianOf(newestFirst.slice(0, half))]
  return to >= from * slower.times && to - from >= slower.ms ? { from, to } : undefined
}

function medianOf(values: readonly number[]): number {
  return Float64Array.from(values).sort()[values.length >> 1] ?? 0
}

function readBuild({ buildId, at, branch, commit }: TestSummary['builds'][number]) {
  return { buildId, at, branch, commit }
}

function byList<Value>(of: (list: TestList) => Value): Record<TestList, Value> {
  return {
    failing: of('failing'),
    newly: of('newly'),
    flaky: of('flaky'),
    slowest: of('slowest'),
    skipped: of('skipped'),
    all: of('all'),
  }
}

interface TestStanding {
  readonly state: 'failing' | 'passing' | 'skipped'
  readonly isNew: boolean
  /** Of a failing one: the place of the first build of those in a row, and how many there are. */
  readonly since: number
  readonly inARow: number
  /** How often it failed and passed on the same commit. */
  readonly flaky: number
}

/**
 * Finds out how tests stand. A test is judged by its runs on the default branch, or where it never
 * ran there on the branch of its newest run. A failure of a commit on which the same work passed as
 * well is flaky: it doesn't make a test failing, and neither do runs that were skipped.
 */
function createTestJudge(table: TestRunTable, runs: RunsByTest): (test: number) => TestStanding {
  const { builds, from, buildOf, resultOf } = runs
  // The last test that failed, or passed, in builds of a commit and work.
  const failedIn = new Int32Array(table.groups()).fill(-1)
  const passedIn = new Int32Array(table.groups()).fill(-1)
  const outcomeAt = (at: number): number => table.outcomeOf(resultOf[at] ?? 0)
  const buildAt = (at: number) => builds[buildOf[at] ?? 0]

  function flakyTimes(test: number, begin: number, end: number): number {
    let times = 0
    for (let at = begin; at < end; at++) {
      const outcome = outcomeAt(at)
      if (outcome === wasRetried) times++
      const group = buildAt(at)?.group ?? -1
      if (group === -1 || outcome === wasSkipped || outcome === wasRetried) continue
      const [own, other] = outcome === hasFailed ? [failedIn, passedIn] : [passedIn, failedIn]
      if (own[group] !== test && other[group] === test) times++
      own[group] = test
    }
    return times
  }

  function lineOf(begin: number, end: number): number | undefined {
    let newest: number | undefined
    for (let at = begin; at < end; at++) {
      const build = buildAt(at)
      if (build === undefined || outcomeAt(at) === wasSkipped) continue
      if (build.isMain) return build.line
      newest ??= build.line
    }
    return newest
  }

  return (test) => {
    const [begin, end] = [from[test] ?? 0, from[test + 1] ?? 0]
    const flaky = flakyTimes(test, begin, end)
    const line = lineOf(begin, end)
    let [inARow, since, isNew, ran] = [0, -1, false, false]
    for (let at = begin; at < end; at++) {
      const [outcome, build] = [outcomeAt(at), buildAt(at)]
      if (outcome === wasSkipped || build === undefined || build.line !== line) continue
      ran = true
      const { group } = build
      const isMixed = group !== -1 && failedIn[group] === test && passedIn[group] === test
      if (outcome !== hasFailed || isMixed) {
        isNew = inARow > 0
        break
      }
      inARow++
      since = buildOf[at] ?? 0
    }
    const state = inARow > 0 ? 'failing' : ran ? 'passing' : 'skipped'
    return { state, isNew, since, inARow, flaky }
  }
}

/**
 * Who looks after a test: the owner with the longest prefix of its class; where none fits, of its
 * task's path, else of its project and the task's path. Undefined where no prefix fits.
 */
export function testOwners(
  owners: Readonly<Record<string, string>>,
): (test: TestId) => string | undefined {
  const longestFirst = Object.entries(owners).sort(([a], [b]) => b.length - a.length)
  return ({ project, task, className, name }) => {
    for (const text of [className ?? name, task, `${project ?? ''}${task}`]) {
      const found = longestFirst.find(([prefix]) => text.startsWith(prefix))
      if (found !== undefined) return found[1]
    }
    return undefined
  }
}
