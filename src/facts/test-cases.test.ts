import { describe, expect, test } from 'vitest'
import type { Execution } from './execution.ts'
import { readEventHead } from './event.ts'
import { createTestFacts, testCases } from './test-cases.ts'

function run(
  path: string,
  outcome: Execution['outcome'],
  more: Partial<Execution> = {},
): Execution {
  return {
    id: '1',
    kind: 'test',
    path,
    className: path.split(' ')[0] ?? null,
    parent: ':test',
    startedAt: 0,
    durationMs: 10,
    outcome,
    rawOutcome: null,
    cache: { kind: 'unknown' },
    originMs: null,
    failureId: null,
    lane: 0,
    ...more,
  }
}

describe('test cases', () => {
  test.each([
    [['succeeded'], 'passed'],
    [['failed'], 'failed'],
    [['failed', 'failed'], 'failed'],
    [['failed', 'succeeded'], 'flaky'],
    [['succeeded', 'failed'], 'flaky'],
    [['failed', 'skipped'], 'failed'],
    [['skipped'], 'skipped'],
    [['unfinished'], 'unfinished'],
    [['unfinished', 'succeeded'], 'passed'],
  ] as const)('whose runs are %j are %s', (outcomes, outcome) => {
    expect(testCases(outcomes.map((one) => run('ShopTest opens', one)))).toMatchObject([
      { outcome, className: 'ShopTest', name: 'opens', durationMs: 10 * outcomes.length },
    ])
  })

  test('of two tasks are two cases, and other executions are none', () => {
    const cases = testCases([
      run('ShopTest opens', 'failed'),
      run('ShopTest opens', 'succeeded', { parent: ':integrationTest' }),
      run(':test', 'failed', { kind: 'task' }),
    ])
    expect(cases.map(({ task, outcome }) => [task, outcome])).toEqual([
      [':test', 'failed'],
      [':integrationTest', 'passed'],
    ])
  })

  test('without a class are called by their name', () => {
    expect(testCases([run('opens', 'succeeded', { className: null })])).toMatchObject([
      { name: 'opens' },
    ])
  })
})

describe('the facts of tests', () => {
  function factsOf(...events: readonly (readonly [eventType: string, data: object])[]) {
    const tests = createTestFacts()
    for (const [eventType, data] of events) {
      const type = { majorVersion: 1, minorVersion: 0, eventType }
      const text = JSON.stringify({ timestamp: 1000, type, data })
      tests.take(text, readEventHead(text))
    }
    return tests.facts()
  }

  const task = (id: string, path: string) =>
    ['TaskStarted', { id, path, buildPath: ':', className: 'T' }] as const
  const started = (id: string, name: string, more: object = {}) =>
    ['TestStarted', { id, name, className: 'a.Shop', suite: false, ...more }] as const
  const finished = (id: string, failed: boolean, skipped = false) =>
    ['TestFinished', { id, failed, skipped, failureId: null }] as const

  test('name what failed or is flaky, and the tasks in which nothing failed', () => {
    expect(
      factsOf(
        task('1', ':test'),
        task('2', ':other'),
        started('3', 'breaks', { task: '1' }),
        finished('3', true),
        started('4', 'passes', { task: '1' }),
        finished('4', false),
        started('5', 'wavers', { task: '2' }),
        finished('5', true),
        started('6', 'wavers', { task: '2' }),
        finished('6', false),
        started('7', 'loner', { className: null }),
        finished('7', false),
      ),
    ).toEqual({
      failed: [{ task: ':test', name: 'Shop.breaks' }],
      flaky: [{ task: ':other', name: 'Shop.wavers' }],
      passedTasks: [':other', ''],
    })
    expect(
      factsOf(started('1', 'alone', { className: null }), finished('1', true))?.failed,
    ).toEqual([{ task: '', name: 'alone' }])
  })

  test('are none where no test has ended, or nothing can be read', () => {
    expect(factsOf()).toBeUndefined()
    expect(factsOf(started('1', 'runs'), started('2', 'waits'), finished('2', false, true))).toBe(
      undefined,
    )
    expect(factsOf(['TestStarted', { id: {} }], ['TestFinished', {}])).toBeUndefined()
  })
})
