import { expect, test } from 'vitest'
import type { PolicyStatus } from '../protocol/policy-result.ts'
import { groupByPolicy } from './policy-group.ts'
import { policyResult } from './policy-result.test-support.ts'
import { waivedSentence } from './waived-sentence.ts'
import { waivedVerdict } from './waived-verdict.ts'
import { reportWaiver } from './scan-report.test-support.ts'

const day = 86_400_000

function sentence(
  statuses: readonly PolicyStatus[],
  waivedForDays: readonly number[],
  complete = true,
): string {
  const groups = groupByPolicy(
    statuses.map((status, index) => policyResult({ status, policyUri: `/policies/A/${index}` })),
  )
  const waivers = waivedForDays.map((days, index) =>
    reportWaiver({ policyUri: `/policies/A/${index}`, expiresAt: days * day }),
  )
  const verdict = waivedVerdict(
    groups,
    { unreadable: 0, complete },
    { waivers, scan: reportWaiver(), now: 0 },
  )
  return waivedSentence(verdict, (at) => `day ${at / day}`)
}

test.each([
  [['unsatisfied', 'satisfied'], [], 'Not releasable: 1 of 2 policies unsatisfied.'],
  [
    ['unsatisfied', 'satisfied'],
    [3],
    'Releasable with 1 waiver until day 3: the service says 1 of 2 policies unsatisfied.',
  ],
  [
    ['unsatisfied', 'unsatisfied', 'not-applicable'],
    [9, 3],
    'Releasable with 2 waivers until day 3: the service says 2 of 3 policies unsatisfied, 1 not applicable.',
  ],
  [
    ['unsatisfied', 'unsatisfied', 'satisfied'],
    [3],
    'Not releasable: 2 of 3 policies unsatisfied (1 waived until day 3).',
  ],
  [
    ['unsatisfied', 'unknown'],
    [3],
    'Undecided, with 1 waiver until day 3: the service says 1 of 2 policies unsatisfied, 1 in a way not known here.',
  ],
  [['satisfied'], [3], 'Releasable: 1 of 1 policy satisfied.'],
] as const)('%j with waivers for %j days: %s', (statuses, days, words) => {
  expect(sentence(statuses, days)).toBe(words)
})

test('an answer that broke off is never releasable, whatever is waived', () => {
  expect(sentence(['unsatisfied'], [3], false)).toMatch(/^Undecided, with 1 waiver until day 3/)
})
