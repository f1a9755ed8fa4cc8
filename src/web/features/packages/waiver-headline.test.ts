import { expect, test } from 'vitest'
import { groupByPolicy } from '../../../policy/policy-group.ts'
import { policyResult } from '../../../policy/policy-result.test-support.ts'
import { reportWaiver } from '../../../policy/scan-report.test-support.ts'
import { waivedVerdict } from '../../../policy/waived-verdict.ts'
import type { PolicyScanState } from '../../data/scans/policy-scan.ts'
import { waiverHeadline } from './waiver-headline.ts'

const now = Date.UTC(2026, 10, 20)

function told(is: 'reading' | 'done' | 'cancelled', failing: readonly string[]): string {
  const state: PolicyScanState = { is }
  const groups = groupByPolicy([
    policyResult(),
    ...failing.map((name) =>
      policyResult({ policyUri: `/policies/PackageUrl/${name}`, status: 'unsatisfied' }),
    ),
  ])
  const verdict = waivedVerdict(
    groups,
    { unreadable: 0, complete: is === 'done' },
    { waivers: [reportWaiver()], scan: reportWaiver(), now },
  )
  const view = { state, results: groups.length }
  const { text, tone } = waiverHeadline(view, verdict, { now, zone: 'utc' })
  return `${tone}: ${text}`
}

test('what only a waiver lets pass is said so, and is never good', () => {
  expect(told('done', ['log4j'])).toBe(
    'waiting: Releasable with 1 waiver until 4 Dec: the service says 1 of 2 policies unsatisfied.',
  )
  expect(told('cancelled', ['log4j'])).toMatch(/^waiting: Undecided, with 1 waiver/)
})

test('one failure without a waiver keeps it from being released', () => {
  expect(told('done', ['log4j', 'other'])).toBe(
    'bad: Not releasable: 2 of 3 policies unsatisfied (1 waived until 4 Dec).',
  )
  expect(told('reading', ['log4j', 'other'])).toMatch(/^bad: Not releasable, whatever follows/)
})

test('while results come in, waived failures decide nothing', () => {
  expect(told('reading', ['log4j'])).toBe(
    'waiting: Evaluating: 2 results so far, 1 policy unsatisfied but waived.',
  )
})

test('without a failure a waiver is not spoken of', () => {
  expect(told('done', [])).toBe('good: Releasable: 1 of 1 policy satisfied.')
})
