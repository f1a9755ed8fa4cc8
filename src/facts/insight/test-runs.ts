import type { ReadBuild, TestId, TestOutcome } from '../../protocol/test-insight.ts'
import { createColumn } from '../column.ts'
import { isMainline } from '../tile-branch.ts'
import type { TestedBuild, TestSuite } from './test-results.ts'

/** How a run ended, as a number: the place in `runOutcomes`. */
export const runOutcomes: readonly TestOutcome[] = ['passed', 'failed', 'flaky', 'skipped']
const hasPassed = 0
export const [hasFailed, wasRetried, wasSkipped] = [1, 2, 3]

export interface KnownBuild extends ReadBuild {
  /** A number for its branch. */
  readonly line: number
  readonly isMain: boolean
  /** Equal for builds of one commit and work; -1 where the commit isn't known. */
  readonly group: number
  /** Its results, the last excluded. */
  readonly first: number
  readonly last: number
}

/** The tests of one task and class, numbered from 0 over all suites. */
export interface KnownSuite {
  readonly project: string | null
  readonly task: string
  readonly className: string | null
  readonly tests: Map<string, number>
}

/** The runs of each test, newest first: those of test t have the places `from[t]` up to `from[t + 1]`. */
export interface RunsByTest {
  /** Newest first. */
  readonly builds: readonly KnownBuild[]
  readonly tests: number
  readonly from: Int32Array
  /** By the place of a run: the place of its build, and its result. */
  readonly buildOf: Int32Array
  readonly resultOf: Int32Array
}

/** Results of tests in columns, as builds bring them. */
export interface TestRunTable {
  /** Takes the results of a build that it doesn't have yet. */
  readonly add: (build: TestedBuild) => void
  readonly suites: ReadonlyMap<string, KnownSuite>
  readonly tests: () => number
  readonly results: () => number
  /** How many commits and kinds of work there are. */
  readonly groups: () => number
  readonly testNumber: (id: TestId) => number | undefined
  readonly idOf: (test: number) => TestId
  readonly suiteOf: (test: number) => Omit<KnownSuite, 'tests'>
  readonly outcomeOf: (result: number) => number
  /** Ms; -1 where unknown. */
  readonly msOf: (result: number) => number
  readonly messageOf: (result: number) => string | undefined
  /** Sorts the results by test and time, with pauses. */
  readonly byTest: () => Generator<void, RunsByTest>
}

/** Between two pauses so many results are looked at. */
const resultsAtOnce = 50_000

/**
 * A table without builds. A million results are taken in little more time than it takes to count
 * them: each costs one look-up of its name. `defaultBranchOf` names the configured branch of a project.
 */
export function createTestRuns(
  defaultBranchOf: (project: string) => string | undefined,
): TestRunTable {
  const builds: KnownBuild[] = []
  const known = new Set<string>()
  const groups = createNumbering()
  const lines = createNumbering()
  const suites = new Map<string, KnownSuite>()
  const suiteOf: KnownSuite[] = []
  const names: string[] = []
  // Of each result, those of a build together: four times its test, and its outcome.
  const ended = createColumn()
  const durations = createColumn()
  const messages = new Map<number, string>()

  function knownSuite(build: TestedBuild, { task, className }: TestSuite): KnownSuite {
    const of = { project: build.project, task: task ?? build.requested.join(' '), className }
    const key = suiteKey(of)
    const suite = suites.get(key) ?? { ...of, tests: new Map<string, number>() }
    suites.set(key, suite)
    return suite
  }

  function addSuite(build: TestedBuild, ran: TestSuite): void {
    const suite = knownSuite(build, ran)
    const first = ended.length()
    for (let place = 0; place < ran.names.length; place++) {
      const name = ran.names[place] ?? ''
      let test = suite.tests.get(name)
      if (test === undefined) {
        test = names.push(name) - 1
        suiteOf.push(suite)
        suite.tests.set(name, test)
      }
      ended.push(4 * test + outcomeOfLetter(ran.outcomes.charCodeAt(place)))
      durations.push(ran.ms[place] ?? -1)
    }
    for (const [place, message] of Object.entries(ran.messages ?? {})) {
      messages.set(first + Number(place), message)
    }
  }

  function* byTest(): Generator<void, RunsByTest> {
    const [count, all] = [names.length, ended.length()]
    const order = builds.slice().sort(newestFirst)
    const from = new Int32Array(count + 1)
    for (let result = 0; result < all; result++) {
      const after = (ended.at(result) >> 2) + 1
      from[after] = (from[after] ?? 0) + 1
      if (result % resultsAtOnce === resultsAtOnce - 1) yield
    }
    for (let test = 0; test < count; test++) {
      from[test + 1] = (from[test + 1] ?? 0) + (from[test] ?? 0)
    }
    const next = from.slice()
    const [buildOf, resultOf] = [new Int32Array(all), new Int32Array(all)]
    let since = 0
    for (const [place, { first, last }] of order.entries()) {
      for (let result = first; result < last; result++) {
        const test = ended.at(result) >> 2
        const at = next[test] ?? 0
        buildOf[at] = place
        resultOf[at] = result
        next[test] = at + 1
      }
      since += last - first
      if (since < resultsAtOnce) continue
      since = 0
      yield
    }
    return { builds: order, tests: count, from, buildOf, resultOf }
  }

  return {
    add: (build) => {
      const { buildId, at, branch, commit, project } = build
      if (known.has(buildId)) return
      known.add(buildId)
      const first = ended.length()
      for (const suite of build.suites) addSuite(build, suite)
      const configured = defaultBranchOf(project ?? '')
      builds.push({
        ...{ buildId, at, branch, commit, first },
        line: lines.numberOf(branch ?? ''),
        isMain: branch !== null && (configured ? branch === configured : isMainline(branch)),
        group: commit === null ? -1 : groups.numberOf(`${commit}\n${build.work}`),
        last: ended.length(),
      })
    },
    suites,
    tests: () => names.length,
    results: ended.length,
    groups: groups.size,
    testNumber: (id) => suites.get(suiteKey(id))?.tests.get(id.name),
    suiteOf: (test) => suiteOf[test] ?? noSuite,
    idOf: (test) => {
      const { project, task, className } = suiteOf[test] ?? noSuite
      return { project, task, className, name: names[test] ?? '' }
    },
    outcomeOf: (result) => ended.at(result) & 3,
    msOf: durations.at,
    messageOf: (result) => messages.get(result),
    byTest,
  }
}

const noSuite: Omit<KnownSuite, 'tests'> = { project: null, task: '', className: null }

function suiteKey({ project, task, className }: Omit<KnownSuite, 'tests'>): string {
  return JSON.stringify([project, className, task])
}

function newestFirst(a: KnownBuild, b: KnownBuild): number {
  return b.at - a.at || (a.buildId < b.buildId ? -1 : 1)
}

/** As test-results.ts writes them. */
function outcomeOfLetter(letter: number): number {
  if (letter === 0x66) return hasFailed
  if (letter === 0x72) return wasRetried
  return letter === 0x73 ? wasSkipped : hasPassed
}

/** Numbers texts from 0. */
function createNumbering() {
  const numbers = new Map<string, number>()
  return {
    numberOf: (text: string) => {
      const number = numbers.get(text) ?? numbers.size
      numbers.set(text, number)
      return number
    },
    size: () => numbers.size,
  }
}
