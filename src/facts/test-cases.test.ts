import { describe, expect, test } from 'vitest'
import type { Execution } from './execution.ts'
import { testCases } from './test-cases.ts'

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
