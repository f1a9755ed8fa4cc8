import {
  hasFailed,
  type RunsByTest,
  type TestRunTable,
  wasRetried,
  wasSkipped,
} from './test-runs.ts'

/** How a test stands by its runs. */
export interface TestStanding {
  readonly state: 'failing' | 'passing' | 'skipped'
  /** It is failing, and a build before passed. */
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
export function createTestJudge(
  table: TestRunTable,
  runs: RunsByTest,
): (test: number) => TestStanding {
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
    for (let at = begin; at < end; at++) {
      const build = buildAt(at)
      if (build?.isMain === true) return build.line
    }
    return buildAt(begin)?.line
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
