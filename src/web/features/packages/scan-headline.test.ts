import { expect, test } from 'vitest'
import { groupByPolicy, policyKey } from '../../../policy/policy-group.ts'
import { policyResult } from '../../../policy/policy-result.test-support.ts'
import { reportWaiver } from '../../../policy/scan-report.test-support.ts'
import { scanVerdict } from '../../../policy/verdict.ts'
import { waivedVerdict } from '../../../policy/waived-verdict.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import type { PolicyScanState } from '../../data/scans/policy-scan.ts'
import { newerSentence, scanSentence, waiverHeadline } from './scan-headline.tsx'

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
  expect(told({ is: 'broken', problem: fault })).toMatch(/^waiting: Inconclusive/)
  expect(told({ is: 'done' })).toBe('good: Releasable: 1 of 1 policy satisfied.')
})

test('a failure is shown as soon as it is known, and stays when the answer breaks off', () => {
  expect(told({ is: 'reading' }, failing)).toBe(
    'bad: Not releasable: 1 policy already unsatisfied. Evaluating: 2 results so far.',
  )
  expect(told({ is: 'broken', problem: fault }, failing)).toMatch(/^bad: Not releasable/)
})

test('a newer run that broke off decides where it fails what is not waived', () => {
  const newer = {
    failing: ['/policies/A/p-2', '/policies/A/p-3'],
    counts: { satisfied: 1, unsatisfied: 3, 'not-applicable': 0, unknown: 0 },
  }
  expect(newerSentence([newer], new Map())).toBe(
    'Not releasable: a newer, incomplete run fails p-2 and 2 more policies.',
  )
  const waived = new Map([[policyKey('/policies/A/p-2'), reportWaiver()]])
  const one = { ...newer, counts: { ...newer.counts, unsatisfied: 2 } }
  expect(newerSentence([one], waived)).toBe('Not releasable: a newer, incomplete run fails p-3.')
  const onlyWaived = { failing: ['/policies/A/p-2'], counts: { ...newer.counts, unsatisfied: 1 } }
  expect(newerSentence([onlyWaived], waived)).toBeUndefined()
  // An older one of them may have found what the newest didn't come to.
  expect(newerSentence([onlyWaived, one], waived)).toMatch(/fails p-3\.$/)
})

test('a wait counts down to a second, and a long one is not told in seconds', () => {
  expect(told({ is: 'waiting', until: 3_610_000, reason: '' })).toContain('Retrying in 1 h.')
  expect(told({ is: 'waiting', until: 13_200, reason: '' })).toContain('Retrying in 4 s')
  expect(told({ is: 'waiting', until: 9_000, reason: '' })).toContain('Retrying in 1 s')
})

const now = Date.UTC(2026, 10, 20)

function headlineOf(
  is: 'reading' | 'done' | 'cancelled',
  failing: readonly string[],
  isLoadingWaivers = false,
): string {
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
  const { text, tone } = waiverHeadline(view, verdict, { now, zone: 'utc', isLoadingWaivers })
  return `${tone}: ${text}`
}

test('what only a waiver lets pass is said so, and is never good', () => {
  expect(headlineOf('done', ['log4j'])).toBe(
    'waiting: Releasable with 1 waiver until Dec 4: the policy service reports 1 of 2 policies unsatisfied.',
  )
  expect(headlineOf('cancelled', ['log4j'])).toMatch(/^waiting: Inconclusive, with 1 waiver/)
})

test('one failure without a waiver keeps it from being released', () => {
  expect(headlineOf('done', ['log4j', 'other'])).toBe(
    'bad: Not releasable: 2 of 3 policies unsatisfied (1 waived until Dec 4).',
  )
  expect(headlineOf('reading', ['log4j', 'other'])).toMatch(
    /^bad: Not releasable: 2 policies already unsatisfied/,
  )
})

test('before waivers are known, failures decide nothing', () => {
  expect(headlineOf('done', ['log4j', 'other'], true)).toBe(
    'waiting: 2 policies unsatisfied. Loading waivers…',
  )
  expect(headlineOf('done', [], true)).toBe('good: Releasable: 1 of 1 policy satisfied.')
  expect(headlineOf('reading', ['other'], true)).toBe(
    'waiting: Evaluating: 2 results so far, 1 policy unsatisfied.',
  )
})

test('while results come in, waived failures decide nothing', () => {
  expect(headlineOf('reading', ['log4j'])).toBe(
    'waiting: Evaluating: 2 results so far, 1 policy unsatisfied but waived.',
  )
})

test('without a failure a waiver is not spoken of', () => {
  expect(headlineOf('done', [])).toBe('good: Releasable: 1 of 1 policy satisfied.')
})
