import { expect, test } from 'vitest'
import type { PolicyStatus } from '../protocol/policy-result.ts'
import { groupByPolicy } from './policy-group.ts'
import { policyResult } from './policy-result.test-support.ts'
import { scanVerdict, verdictSentence } from './verdict.ts'
import { countedVerdict } from './waived-verdict.ts'

function judge(statuses: readonly PolicyStatus[], unreadable = 0, complete = true) {
  const groups = groupByPolicy(
    statuses.map((status, index) => policyResult({ status, policyUri: `/policies/A/${index}` })),
  )
  return scanVerdict(groups, { unreadable, complete })
}

test.each([
  [['satisfied', 'satisfied'], 'releasable', 'Releasable: 2 of 2 policies satisfied.'],
  [
    ['satisfied', 'not-applicable'],
    'releasable',
    'Releasable: 1 of 2 policies satisfied, 1 not applicable.',
  ],
  [
    ['unsatisfied', 'satisfied', 'not-applicable', 'unknown'],
    'not-releasable',
    'Not releasable: 1 of 4 policies unsatisfied, 1 with an unknown status, 1 not applicable.',
  ],
  [
    ['satisfied', 'unknown'],
    'undecided',
    'Inconclusive: 1 of 2 policies satisfied, none unsatisfied, 1 with an unknown status.',
  ],
  [
    ['not-applicable'],
    'nothing-applied',
    "Nothing to evaluate: the scan's only policy doesn't apply to this package.",
  ],
  [[], 'nothing-applied', 'The scan has no policies.'],
] as const)('%j is %s', (statuses, verdict, sentence) => {
  const judged = judge(statuses)
  expect(judged.verdict).toBe(verdict)
  expect(verdictSentence(judged)).toBe(sentence)
})

function judgeSeverities(...policies: readonly (readonly [PolicyStatus, severity: string])[]) {
  return scanVerdict(
    groupByPolicy(
      policies.map(([status, severity], index) =>
        policyResult({
          status,
          policyUri: `/policies/A/${index}`,
          labels: { 'policy.acme.example/severity': severity },
        }),
      ),
    ),
    { unreadable: 0, complete: true },
  )
}

test.each([
  [
    [
      ['satisfied', 'low'],
      ['not-applicable', 'high'],
      ['not-applicable', 'low'],
    ],
    'releasable',
    'Releasable, but 1 high-severity policy was not checked: 1 of 3 policies satisfied, 2 not applicable.',
  ],
  [
    [
      ['satisfied', 'low'],
      ['not-applicable', 'high'],
      ['not-applicable', 'Critical'],
    ],
    'releasable',
    'Releasable, but 2 critical or high-severity policies were not checked: 1 of 3 policies satisfied, 2 not applicable.',
  ],
  [
    [
      ['unsatisfied', 'low'],
      ['not-applicable', 'high'],
    ],
    'not-releasable',
    'Not releasable: 1 of 2 policies unsatisfied, 1 not applicable (1 high not checked).',
  ],
  [
    [['not-applicable', 'high']],
    'nothing-applied',
    "Nothing to evaluate: the scan's only policy doesn't apply to this package, and 1 high-severity policy was not checked.",
  ],
  [
    [
      ['satisfied', 'high'],
      ['not-applicable', 'medium'],
    ],
    'releasable',
    'Releasable: 1 of 2 policies satisfied, 1 not applicable.',
  ],
] as const)('missing proof weighs by its severity: %j', (policies, verdict, sentence) => {
  const judged = judgeSeverities(...policies)
  expect(judged.verdict).toBe(verdict)
  expect(verdictSentence(judged)).toBe(sentence)
})

test('thousands of policies are counted as people write it', () => {
  const statuses = Array.from({ length: 1200 }, (_, at) =>
    at < 1100 ? ('unsatisfied' as const) : ('not-applicable' as const),
  )
  expect(verdictSentence(judge(statuses))).toBe(
    'Not releasable: 1,100 of 1,200 policies unsatisfied, 100 not applicable.',
  )
})

test('an answer that broke off, or that could not be read whole, never leaves a package releasable', () => {
  expect(judge(['satisfied'], 0, false).verdict).toBe('undecided')
  expect(judge(['satisfied'], 1).verdict).toBe('undecided')
  expect(judge(['unsatisfied'], 1, false).verdict).toBe('not-releasable')
  expect(verdictSentence(judge([], 0, false))).toBe('Inconclusive: there is no complete response.')
})

test('of more than 100,000 policies nothing passes, and it is said why', () => {
  const many = Array.from({ length: 100_001 }, (_, index) => ({
    ...{ status: 'satisfied' as const, policyUri: `/policies/A/p${index}`, labels: {} },
  }))
  const sayOf = (count: number, unreadable = 0): string =>
    verdictSentence(scanVerdict(many.slice(0, count), { unreadable, complete: true }))
  expect(sayOf(99_999)).toBe('Releasable: 99,999 of 99,999 policies satisfied.')
  expect(sayOf(100_000)).toBe('Releasable: 100,000 of 100,000 policies satisfied.')
  expect([sayOf(99_999, 1), sayOf(100_000, 1)]).toEqual([
    'Inconclusive: 99,999 of 99,999 policies satisfied, none unsatisfied.',
    'Inconclusive: 100,000 of 100,000 policies satisfied, none unsatisfied.',
  ])
  const said = scanVerdict(many, { unreadable: 0, complete: true })
  expect([said.verdict, verdictSentence(said)]).toEqual([
    'undecided',
    'Inconclusive: none of more than 100,000 policies is unsatisfied, but so many never count as passed.',
  ])
  const counts = { ...said.counts, unsatisfied: 1 }
  expect(countedVerdict({ verdict: 'not-releasable', counts, unreadable: 0 }, 1)).toBe('undecided')
})
