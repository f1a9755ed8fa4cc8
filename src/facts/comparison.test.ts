import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareExecutions, compareFacts } from './comparison.ts'
import type { Execution } from './execution.ts'

function task(
  path: string,
  durationMs: number | null,
  outcome: Execution['outcome'] = 'succeeded',
): Execution {
  return {
    id: '1',
    kind: 'task',
    path,
    className: null,
    parent: null,
    startedAt: 0,
    durationMs,
    outcome,
    rawOutcome: null,
    cache: { kind: 'unknown' },
    originMs: null,
    failureId: null,
    lane: 0,
  }
}

function compared(left: readonly Execution[], right: readonly Execution[]) {
  return compareExecutions(left, right).map(({ path, change, differenceMs }) => [
    path,
    change,
    differenceMs,
  ])
}

describe('executions of two builds', () => {
  test('are distinguished by their outcomes, what matters most first', () => {
    const left = [
      task(':a', 100),
      task(':b', 1000),
      task(':c', 1000),
      task(':d', 100),
      task(':e', 500),
    ]
    const right = [
      task(':a', 100, 'failed'),
      task(':b', 3000),
      task(':c', 900),
      task(':e', 100),
      task(':f', 9),
    ]
    expect(compared(left, right)).toEqual([
      [':a', 'outcome', 0],
      [':d', 'removed', -100],
      [':f', 'added', 9],
      [':b', 'slower', 2000],
      [':e', 'faster', -400],
      [':c', 'same', -100],
    ])
  })

  test('that repeat a path are matched in their turn', () => {
    expect(compared([task(':a', 1), task(':a', 2)], [task(':a', 1)])).toEqual([
      [':a', 'removed', -2],
      [':a', 'same', 0],
    ])
  })

  test('differ only where the difference is more than noise', () => {
    expect(compared([task(':a', 50)], [task(':a', 140)])).toEqual([[':a', 'same', 90]])
    expect(compared([task(':a', 1000)], [task(':a', 1150)])).toEqual([[':a', 'same', 150]])
    expect(compared([task(':a', 1000)], [task(':a', 1300)])).toEqual([[':a', 'slower', 300]])
  })

  test('are all there, and mirrored when the sides are changed', () => {
    const one = fc.tuple(
      fc.constantFrom(':a', ':b', ':c'),
      fc.nat(2000),
      fc.constantFrom('failed' as const, 'succeeded' as const),
    )
    const many = fc.array(
      one.map(([path, ms, outcome]) => task(path, ms, outcome)),
      { maxLength: 12 },
    )
    const mirror = { added: 'removed', removed: 'added', slower: 'faster', faster: 'slower' }
    fc.assert(
      fc.property(many, many, (left, right) => {
        const there = compareExecutions(left, right)
        const back = compareExecutions(right, left)
        expect(there.filter((row) => row.left !== null)).toHaveLength(left.length)
        expect(there.filter((row) => row.right !== null)).toHaveLength(right.length)
        const mirrored = there.map(
          ({ change }) => Object.entries(mirror).find(([key]) => key === change)?.[1] ?? change,
        )
        expect(back.map(({ change }) => change).sort()).toEqual(mirrored.sort())
      }),
    )
  })
})

describe('facts of two builds', () => {
  const facts = {
    buildId: 'a',
    receivedAt: 1,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
  }

  test('stand side by side, with what is known of one alone', () => {
    const rows = compareFacts(
      {
        ...facts,
        outcome: 'failed',
        durationMs: 2000,
        tags: ['b', 'a'],
        values: [{ name: 'x', value: '1' }],
      },
      { ...facts, outcome: 'succeeded', tags: ['a', 'b'], fields: { 'gradle.y': null } },
      (ms) => `${ms} ms`,
    )
    const row = (name: string) => rows.find((one) => one.name === name)
    expect(row('outcome')).toEqual({
      name: 'outcome',
      left: 'failed',
      right: 'succeeded',
      isSame: false,
    })
    expect(row('duration')).toMatchObject({ left: '2000 ms', right: null })
    expect(row('tags')).toMatchObject({ isSame: true })
    expect(row('x')).toMatchObject({ left: '1', right: null })
    expect(row('gradle.y')).toMatchObject({ left: null, right: 'null' })
    expect(row('tool version')).toMatchObject({ isSame: true })
  })
})
