import { expect, test } from 'vitest'
import { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { choiceOf, evaluationsBefore, firstOf, historyFault, lackOf } from './comparison.tsx'

const runs = ['3', '2', '1'].map((id) =>
  EvaluationSummary.parse({
    id,
    startedAt: 1,
    endedAt: 2,
    by: 'alice',
    packagePath: '/packages/npm/app/1.0.0',
    sha256: 'ab',
    repositoryUrl: 'r',
    scan: 'release',
    ended: 'complete',
    verdict: 'releasable',
    counts: { satisfied: 1, unsatisfied: 0, 'not-applicable': 0, unknown: 0 },
    results: 1,
    unreadable: 0,
    failing: [],
    waived: [],
  }),
)

test.each([
  ['2', '1'],
  ['3', '2 1'],
  ['1', ''],
  ['not written yet', '3 2 1'],
])('before run %s there are: %s', (id, before) => {
  expect(
    evaluationsBefore(runs, id)
      .map((run) => run.id)
      .join(' '),
  ).toBe(before)
})

test.each([
  [{}, undefined],
  [{ ended: 'broken' as const }, 'incomplete'],
  [{ ended: 'cancelled' as const, unreadable: 1 }, 'incomplete'],
  [{ unreadable: 1 }, 'partly unreadable'],
  [{ leftOut: 1 }, 'only partly stored'],
])('a run with %j is not compared as it is: %s', (change, lack) => {
  expect(lackOf({ ended: 'complete', unreadable: 0, ...change })).toBe(lack)
})

test.each([
  [{}, {}, '3', undefined],
  [{ ended: 'broken' as const }, {}, '2', 'The previous run is incomplete.'],
  [{ results: 0 }, { unreadable: 1 }, '1', 'The previous run has no results.'],
  [{ results: 50_000 }, {}, '2', 'The previous run has more than 5,000 results.'],
])('after runs with %j and %j, run %s is compared with: %s', (last, other, id, passedOver) => {
  const changes = [last, other, { results: 9 }]
  const choice = choiceOf(runs.map((run, index) => ({ ...run, ...changes[index] })))
  expect(choice.wanted?.id).toBe(id)
  expect(choice.passedOver).toBe(passedOver)
})

test('where nothing can be compared with, it says why, and that there is no run only where there is none', () => {
  expect(choiceOf([])).toEqual({ wanted: undefined, why: 'No previous run.' })
  const huge = runs.slice(0, 1).map((run) => ({ ...run, results: 5001 }))
  expect(choiceOf(huge)).toMatchObject({
    wanted: undefined,
    why: 'Not compared: the previous run has more than 5,000 results.',
  })
})

test('why a run is not in the history says nothing of its results, which may be incomplete', () => {
  const recording = { ok: false, lost: 1, reason: 'The database is full.' }
  const list = { recording, evaluations: runs }
  expect(historyFault(undefined, null, '4')).toBeUndefined()
  expect(historyFault(undefined, new Error("Can't reach Sightline."), '4')).toBe(
    "Can't read the history: Can't reach Sightline.",
  )
  expect(historyFault(list, null, '4')).toBe(
    "This evaluation wasn't recorded: The database is full.",
  )
  expect(historyFault(list, null, '3')).toBeUndefined()
})

test('a list of names says how many more there are', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  expect(firstOf(names.slice(0, 5))).toBe('a, b, c, d, e')
  expect(firstOf(names)).toBe('a, b, c, d, e and 1 more')
})
