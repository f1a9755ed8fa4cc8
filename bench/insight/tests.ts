/**
 * A million test results of 50,000 tests folded into what is known of each test, beside a bare Map
 * that counts the same results by name in the same run.
 */
import { createTestHistory } from '../../src/facts/insight/test-history.ts'
import type { TestedBuild } from '../../src/facts/insight/test-results.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 7)
const [buildCount, suiteCount, testsOfSuite] = [20, 500, 100]
/** The longest pause that others may notice, ms. */
const longestSlice = 50
const goal = 3

/** As a build comes from the store: texts of its own, nothing shared with others. */
function madeBuild(index: number): TestedBuild {
  const build: TestedBuild = {
    buildId: `build${index}`,
    ...{ at: index, project: 'checkout', branch: 'main', commit: `c${index >> 1}` },
    ...{ work: 'check', requested: ['check'] },
    suites: Array.from({ length: suiteCount }, (_, suite) => ({
      task: `:module${suite % 20}:test`,
      className: `com.acme.shop.module${suite % 20}.Suite${suite}Test`,
      names: Array.from({ length: testsOfSuite }, (_name, test) => `checks case ${suite}-${test}`),
      outcomes: Array.from({ length: testsOfSuite }, (_letter, test) =>
        (test * 31 + index * 7 + suite) % 997 === 0 ? 'f' : 'p',
      ).join(''),
      ms: Array.from({ length: testsOfSuite }, (_ms, test) => (test * 37 + index * 13) % 2_000),
    })),
  }
  return JSON.parse(JSON.stringify(build)) as TestedBuild
}

function count(builds: readonly TestedBuild[]): number {
  const counts = new Map<string, number>()
  for (const { suites } of builds) {
    for (const { names } of suites) {
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  }
  return counts.size
}

function fold(builds: readonly TestedBuild[]): { readonly tests: number; readonly slice: number } {
  const history = createTestHistory()
  let slice = 0
  for (const build of builds) {
    const since = performance.now()
    history.add(build)
    slice = Math.max(slice, performance.now() - since)
  }
  const steps = history.summary({ search: '', offset: 0, limit: 500 })
  for (;;) {
    const since = performance.now()
    const { done } = steps.next()
    slice = Math.max(slice, performance.now() - since)
    if (done === true) return { tests: history.size().tests, slice }
  }
}

/** Measures, prints, and fails the process where a goal is missed. */
export function measureTests(): void {
  const times: Record<'count' | 'fold', number[]> = { count: [], fold: [] }
  let slice = Infinity
  for (let round = 0; round < rounds; round++) {
    const own = Array.from({ length: buildCount }, (_, index) => madeBuild(index))
    const others = Array.from({ length: buildCount }, (_, index) => madeBuild(index))
    const begun = performance.now()
    count(own)
    const counted = performance.now()
    const folded = fold(others)
    times.fold.push(performance.now() - counted)
    times.count.push(counted - begun)
    slice = Math.min(slice, folded.slice)
  }
  const median = (values: readonly number[]): number =>
    [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
  const [counting, folding] = [median(times.count), median(times.fold)]
  const results = buildCount * suiteCount * testsOfSuite
  process.stdout.write(
    [
      `results        ${results.toLocaleString('en-US')} of ${suiteCount * testsOfSuite} tests in ${buildCount} builds`,
      `Map count      ${counting.toFixed(0)} ms`,
      `folded         ${folding.toFixed(0)} ms   ${(folding / counting).toFixed(2)} times   goal: ${goal}`,
      `longest slice  ${slice.toFixed(1)} ms   goal: ${longestSlice} ms`,
      '',
    ].join('\n'),
  )
  if (folding > goal * counting || slice > longestSlice) process.exitCode = 1
}
