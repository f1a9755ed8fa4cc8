import fc from 'fast-check'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { TestSummary } from '../../protocol/test-insight.ts'
import { runs } from '../../property-runs.test-support.ts'
import { realData } from '../../real-data.test-support.ts'
import { createBuildCollector } from '../build-collector.ts'
import { readEventHead } from '../event.ts'
import { allExecutions } from '../execution-table.ts'
import { createExecutions } from '../executions.ts'
import { testCases } from '../test-cases.ts'
import { createTestHistory, type TestHistory, type TestHistoryOptions } from './test-history.ts'
import { createTestResults, type TestedBuild, testedBuild } from './test-results.ts'

/** Runs a summary or the runs of a test to the end. */
function whole<Value>(steps: Generator<void, Value>): Value {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

const everything = { search: '', offset: 0, limit: 500 }

function summaryOf(history: TestHistory, wanted: Partial<typeof everything> = {}): TestSummary {
  return whole(history.summary({ ...everything, ...wanted }))
}

/**
 * Builds written as `branch commit outcomes`, oldest first, with `;` between them. The outcomes are
 * those of the tests a, b, c and so on: p, f, r and s, `-` for one that did not run; `-` for a commit
 * that nothing names.
 */
function builds(text: string): TestedBuild[] {
  return text.split(';').map((part, index) => {
    const [branch = '-', commit = '-', letters = '', ms = '100'] = part.trim().split(/ +/)
    const ran = Array.from(letters).flatMap((letter, place) =>
      letter === '-' ? [] : [{ name: String.fromCharCode(97 + place), letter }],
    )
    return {
      buildId: `build${index}`,
      at: index * 1_000,
      project: 'checkout',
      branch: branch === '-' ? null : branch,
      commit: commit === '-' ? null : commit,
      work: 'check',
      requested: ['check'],
      suites: [
        {
          task: ':test',
          className: 'ShopTest',
          names: ran.map(({ name }) => name),
          outcomes: ran.map(({ letter }) => letter).join(''),
          ms: ran.map(() => Number(ms)),
        },
      ],
    }
  })
}

function folded(all: readonly TestedBuild[], options: TestHistoryOptions = {}): TestHistory {
  const history = createTestHistory(options)
  for (const build of all) history.add(build)
  return history
}

function rowOf(text: string, options: TestHistoryOptions = {}) {
  const { rows, builds: known } = summaryOf(folded(builds(text), options))
  const row = rows.find((one) => one.test.name === 'a')
  return { ...row, since: row?.since === undefined ? undefined : known[row.since]?.buildId }
}

describe('a test', () => {
  test.each([
    ['main 1 p; main 2 p', { state: 'passing', isNew: false, flaky: 0 }],
    ['main 1 f; main 2 f', { state: 'failing', isNew: false, since: 'build0', inARow: 2 }],
    ['main 1 p; main 2 f; main 3 f', { state: 'failing', isNew: true, since: 'build1', inARow: 2 }],
    ['main 1 f; main 2 p', { state: 'passing', isNew: false }],
    ['main 1 p; main 2 f; main 3 s', { state: 'failing', isNew: true, since: 'build1' }],
    ['main 1 s; main 2 s', { state: 'skipped' }],
    // Where it was skipped it didn't run.
    ['main 1 s; fix 2 f; main 3 s', { state: 'failing', since: 'build1', inARow: 1 }],
    ['fix 1 p; old 2 f; main 3 s', { state: 'failing', since: 'build1', inARow: 1 }],
    ['main 1 p; main 1 f', { state: 'passing', flaky: 1 }],
    ['main 1 f; main 1 p; main 2 f', { state: 'failing', isNew: true, since: 'build2', flaky: 1 }],
    ['main 1 p; main 2 r', { state: 'passing', flaky: 1 }],
    ['main 1 p; main 2 f; main 3 r; main 4 f', { isNew: true, since: 'build3', inARow: 1 }],
    ['main - p; main - f', { state: 'failing', isNew: true, flaky: 0 }],
    ['main 1 p; fix 2 f', { state: 'passing', isNew: false }],
    ['fix 1 p; fix 2 f', { state: 'failing', isNew: true }],
    ['main 1 f; fix 2 p', { state: 'failing', inARow: 1 }],
    ['main 1 p; main 2 -', { state: 'passing' }],
  ])('over the builds "%s" is %o', (text, expected) => {
    expect(rowOf(text)).toMatchObject(expected)
  })

  test('is judged on the branch that is configured', () => {
    const defaultBranchOf = () => 'develop'
    expect(rowOf('develop 1 f; main 2 p', { defaultBranchOf })).toMatchObject({ state: 'failing' })
  })

  test('of another kind of work on the same commit is not flaky', () => {
    const [first, second] = builds('main 1 p; main 1 f')
    const all = [first, { ...second, work: 'nightly' }]
    expect(summaryOf(folded(all as TestedBuild[])).counts.flaky).toBe(0)
  })

  test('that takes longer than it did is slower, with its medians', () => {
    const text = Array.from({ length: 10 }, (_, i) => `main ${i} p ${i < 5 ? 200 : 900}`).join(';')
    expect(rowOf(text)).toMatchObject({ p95: 900, slower: { from: 200, to: 900 } })
    expect(rowOf('main 1 p 200; main 2 p 900')).not.toHaveProperty('slower')
  })

  test('has its 95th percentile by nearest rank, of the runs that were not skipped', () => {
    const runsOf = (length: number, run: (index: number) => string): string =>
      Array.from({ length }, (_, i) => `main ${i} ${run(i)}`).join(';')
    expect(rowOf(runsOf(40, (i) => `p ${i + 1}`)).p95).toBe(38)
    expect(rowOf(runsOf(40, () => 'p 0')).p95).toBe(0)
    // Every fifth is skipped, after a longer time than the others take.
    const skipped = runsOf(500, (i) => (i % 5 === 0 ? 's 9000' : `p ${i - Math.floor(i / 5)}`))
    expect(rowOf(skipped).p95).toBe(380)
    const run = fc.record({ letter: fc.constantFrom('p', 'p', 'f', 's'), ms: fc.nat(999) })
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 600, size: 'max' }), (all) => {
        const text = all.map(({ letter, ms }, i) => `main ${i} ${letter} ${ms}`).join(';')
        const known = all.filter(({ letter }) => letter !== 's').map(({ ms }) => ms)
        const rank = Math.ceil(known.length * 0.95)
        expect(rowOf(text).p95).toBe(known.toSorted((a, b) => a - b)[rank - 1] ?? null)
      }),
      { numRuns: runs(100) },
    )
  })

  test('with a name of ten kilobytes keeps its own identity, cut', () => {
    const name = 'n'.repeat(10_000)
    const [one] = resultsOf([{ name: `${name}1`, ends: ['p'] }])
    const [other] = resultsOf([{ name: `${name}2`, ends: ['p'] }])
    expect(one?.names[0]?.length).toBeLessThanOrEqual(500)
    expect(one?.names[0]).not.toBe(other?.names[0])
  })

  test('is found by a part of its name, class or task, and in pages', () => {
    const history = folded(builds('main 1 pppfff'))
    expect(summaryOf(history, { search: 'shoptest.B' }).counts.all).toBe(1)
    expect(summaryOf(history, { search: ':TEST' }).counts).toMatchObject({ all: 6, failing: 3 })
    const page = summaryOf(history, { offset: 4, limit: 2 })
    expect(page.lists.all.map((place) => page.rows[place]?.test.name)).toEqual(['e', 'f'])
    expect(page.counts.all).toBe(6)
  })

  test('shows all of its runs, with what they threw', () => {
    const [first, second] = builds('main 1 p; main 2 f')
    const suites = (second?.suites ?? []).map((suite) => ({ ...suite, messages: { 0: 'broke' } }))
    const history = folded([first, { ...second, suites }] as TestedBuild[])
    const [row] = summaryOf(history).rows
    if (row === undefined) throw new Error('no row')
    expect(whole(history.runsOf(row.test))).toMatchObject({
      row: { message: 'broke' },
      runs: [
        { build: 0, outcome: 'failed', message: 'broke' },
        { build: 1, outcome: 'passed' },
      ],
    })
    expect(whole(history.runsOf({ ...row.test, name: 'other' }))).toBeUndefined()
  })
})

interface Ran {
  readonly name: string
  readonly ends: readonly string[]
}

function event(eventType: string, data: object): readonly [string, string] {
  const type = { majorVersion: 1, minorVersion: 0, eventType }
  return [eventType, JSON.stringify({ timestamp: 1, type, data })]
}

/** What `tests` of a task send, each run after the other. */
function eventsOf(tests: readonly Ran[]): (readonly [type: string, text: string])[] {
  let id = 10
  return [
    event('TaskStarted', { id: 1, path: ':test', className: null }),
    ...tests.flatMap(({ name, ends }) =>
      ends.flatMap((letter) => {
        id += 1
        const started = { task: 1, id, parent: null, name, className: 'ShopTest', suite: false }
        const failure = { failed: letter === 'f', skipped: letter === 's', failureId: null }
        return [
          event('TestStarted', started),
          ...(letter === '-' ? [] : [event('TestFinished', { task: 1, id, ...failure })]),
        ]
      }),
    ),
  ]
}

function resultsOf(tests: readonly Ran[]) {
  const results = createTestResults()
  for (const [type, text] of eventsOf(tests)) results.take(type, 1, text, -1)
  return results.suites(() => undefined)
}

describe('the results of a build', () => {
  test('are those of its test cases, kept as letters', () => {
    const anyTest = fc.record({
      name: fc.constantFrom('a', 'b', 'c "quoted"'),
      ends: fc.array(fc.constantFrom('p', 'f', 's', '-'), { maxLength: 3 }),
    })
    const letters = { passed: 'p', failed: 'f', flaky: 'r', skipped: 's', unfinished: '-' }
    fc.assert(
      fc.property(fc.array(anyTest, { maxLength: 8 }), (tests) => {
        const executions = createExecutions()
        for (const [type, text] of eventsOf(tests)) executions.take(type, 1, text, -1)
        const cases = testCases(allExecutions(executions))
        const known = resultsOf(tests).flatMap(({ names, outcomes }) =>
          names.map((name, place) => [name, outcomes.charAt(place)]),
        )
        const expected = cases.map(({ name, outcome }) => [name, letters[outcome]])
        expect(Object.fromEntries(known)).toEqual(
          Object.fromEntries(expected.filter(([, letter]) => letter !== '-')),
        )
      }),
      { numRuns: runs(300) },
    )
  })
})

const anyBuilds = fc
  .array(
    fc.record({
      branch: fc.constantFrom('main', 'fix', null),
      commit: fc.constantFrom('1', '2', '3', null),
      work: fc.constantFrom('check', 'nightly'),
      at: fc.nat(20),
      letters: fc.array(fc.constantFrom('p', 'f', 'r', 's', '-'), { maxLength: 6 }),
    }),
    { maxLength: 12 },
  )
  .map((all) =>
    all.map(({ letters, ...build }, index): TestedBuild => {
      const [made] = builds(`- - ${letters.join('') || '-'}`)
      return {
        ...build,
        buildId: `build${index}`,
        project: 'shop',
        requested: [],
        suites: made?.suites ?? [],
      }
    }),
  )

describe('a history of tests', () => {
  test('is the same in whatever order builds arrive, and however often', () => {
    fc.assert(
      fc.property(anyBuilds, fc.func(fc.nat()), (all, rank) => {
        const shuffled = [...all].sort((a, b) => rank(a.buildId) - rank(b.buildId))
        expect(summaryOf(folded([...shuffled, ...all]))).toEqual(summaryOf(folded(all)))
      }),
      { numRuns: runs(300) },
    )
  })

  test('counts as a plain loop over all results does', () => {
    fc.assert(
      fc.property(anyBuilds, (all) => {
        const { rows, lists, counts } = summaryOf(folded(all))
        const ran = new Map<string, TestedBuild[]>()
        for (const build of all) {
          for (const name of build.suites[0]?.names ?? []) {
            ran.set(name, [...(ran.get(name) ?? []), build])
          }
        }
        expect(counts.all).toBe(ran.size)
        for (const row of rows) {
          const of = ran.get(row.test.name) ?? []
          const letter = ({ suites: [suite] }: TestedBuild): string =>
            suite?.outcomes[suite.names.indexOf(row.test.name)] ?? ''
          expect(row.runs).toBe(of.length)
          expect(row.failed).toBe(of.filter((build) => letter(build) === 'f').length)
          expect(row.history).toHaveLength(of.length)
          const isFlaky = of.some(
            (build) =>
              letter(build) === 'r' ||
              of.some(
                (other) =>
                  build.commit !== null &&
                  build.commit === other.commit &&
                  build.work === other.work &&
                  letter(build) === 'f' &&
                  letter(other) === 'p',
              ),
          )
          expect(row.flaky > 0).toBe(isFlaky)
          if (row.isNew) expect(row.state).toBe('failing')
          if (row.state === 'skipped') expect(row.failed === 0 || of.length > row.failed).toBe(true)
        }
        expect(lists.newly.every((place) => lists.failing.includes(place))).toBe(true)
      }),
      { numRuns: runs(300) },
    )
  })

  test('of fifty thousand tests never works long without a pause', () => {
    const names = Array.from({ length: 500 }, (_, index) => `test ${index}`)
    const suites = Array.from({ length: 100 }, (_, index) => ({
      ...{ task: ':test', className: `com.acme.Class${index}`, names },
      ...{ outcomes: 'p'.repeat(500), ms: names.map((_name, place) => place) },
    }))
    const [build] = builds('main 1 p')
    const history = createTestHistory()
    for (let index = 0; index < 4; index++) {
      if (build !== undefined) history.add({ ...build, buildId: `${index}`, suites })
    }
    let pauses = 0
    for (const _ of history.summary(everything)) pauses++
    expect(history.size()).toEqual({ tests: 50_000, results: 200_000 })
    expect(pauses).toBeGreaterThan(100)
  })
})

const recording = realData('recordings/gradle-failing-test.jsonl')

describe.skipIf(!existsSync(recording))('a real recording', () => {
  test('yields its failed test with what it threw', () => {
    const collector = createBuildCollector({ header: true, executions: false, logBytes: 0 })
    const results = createTestResults()
    const [, ...lines] = readFileSync(recording, 'utf8').trim().split('\n')
    for (const line of lines) {
      collector.event(line, '')
      const { eventType, timestamp, dataAt } = readEventHead(line)
      results.take(eventType, timestamp, line, dataAt)
    }
    const { facts, failure } = {
      ...collector.header().read(message),
      failure: collector.header().failure,
    }
    const build = testedBuild(facts, results.suites(failure))
    const { counts, lists, rows } = summaryOf(folded([build]))
    expect(counts).toMatchObject({ all: 4, failing: 1, newly: 0, flaky: 0, skipped: 0 })
    const row = rows[lists.failing[0] ?? -1]
    expect(row?.state).toBe('failing')
    expect(row?.test.task).toContain(':test')
    expect(row?.message).toMatch(/\S/)
  })
})

const message = {
  ...{ buildId: 'k3j7a2b9c4d5e', timestamp: 1, toolType: 'gradle', toolVersion: '5' },
  agentVersion: '2',
}
