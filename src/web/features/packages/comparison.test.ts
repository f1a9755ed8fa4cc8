import { expect, test } from 'vitest'
import { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { evaluationsBefore } from './comparison.tsx'

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
