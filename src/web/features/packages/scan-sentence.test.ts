import { expect, test } from 'vitest'
import { groupByPolicy } from '../../../policy/policy-group.ts'
import { policyResult } from '../../../policy/policy-result.test-support.ts'
import { scanVerdict } from '../../../policy/verdict.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import type { PolicyScanState } from '../../data/scans/policy-scan.ts'
import { scanSentence } from './scan-sentence.ts'

const passing = [policyResult()]
const failing = [...passing, policyResult({ policyUri: '/policies/A/x', status: 'unsatisfied' })]
const fault = new ProblemError(problem(502, 'answer-broke-off', 'x', 'y'))

function told(state: PolicyScanState, results = passing): string {
  const verdict = scanVerdict(groupByPolicy(results), {
    unreadable: 0,
    complete: state.is === 'done',
  })
  const { text, tone } = scanSentence({ state, results: results.length }, verdict, 10_000)
  return `${tone}: ${text}`
}

test('nothing counts as releasable before the answer is complete', () => {
  for (const is of ['idle', 'asking', 'reading', 'cancelled'] as const) {
    expect(told({ is })).not.toMatch(/^good|: Releasable/)
  }
  expect(told({ is: 'broken', problem: fault })).toMatch(/^waiting: Undecided/)
  expect(told({ is: 'done' })).toBe('good: Releasable: 1 of 1 policy satisfied.')
})

test('a failure is told as soon as it is known, and stays when the answer breaks off', () => {
  expect(told({ is: 'reading' }, failing)).toBe(
    'bad: Not releasable, whatever follows: 1 policy unsatisfied. Evaluating: 2 results so far.',
  )
  expect(told({ is: 'broken', problem: fault }, failing)).toMatch(/^bad: Not releasable/)
})

test('a wait counts down, and never below nothing', () => {
  expect(told({ is: 'waiting', until: 13_200, reason: '' })).toContain('again in 4 s')
  expect(told({ is: 'waiting', until: 9_000, reason: '' })).toContain('again in 0 s')
})
