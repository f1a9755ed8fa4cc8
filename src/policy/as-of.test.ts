import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import { asOf, asOfSentence, asOfText, changesText, type DatedScan } from './as-of.ts'
import { createBoardTally } from './board-tally.ts'
import { policyResult } from './policy-result.test-support.ts'
import { reportWaiver } from './scan-report.test-support.ts'

const day = 86_400_000
const now = Date.UTC(2026, 10, 22, 12)
const uri = '/policies/PackageUrl/log4j'
const { packagePath, sha256, scan } = reportWaiver()

function scanOf(
  results: readonly Parameters<typeof policyResult>[0][],
  waivers: DatedScan['waivers'] = [],
): DatedScan {
  const tally = createBoardTally(now)
  for (const result of results) tally.add(policyResult(result))
  return { scan: { packagePath, sha256, scan }, outcome: tally.outcome('e1'), waivers }
}

const fails = { policyUri: uri, status: 'unsatisfied' } as const
const passes = { policyUri: '/policies/A/provenance', status: 'satisfied' } as const
const on = (days: number) => ({ now, date: now + days * day })

test('a waiver that will have ended no longer lets the policy pass', () => {
  const waiver = reportWaiver({ policyUri: uri, expiresAt: now + 5 * day })
  const dated = scanOf([fails, passes], [waiver])
  expect(asOf(dated, on(4))).toEqual({
    now: 'releasable-with-waivers',
    then: 'releasable-with-waivers',
    changes: [],
  })
  const then = asOf(dated, on(5))
  expect(then).toMatchObject({
    now: 'releasable-with-waivers',
    then: 'not-releasable',
    changes: [{ is: 'waiver-ends', at: now + 5 * day, waiver }],
  })
  expect(changesText(then.changes)).toBe('1 waiver ends')
})

test('a longer waiver of the same policy goes on; one that waits for approval is not counted on', () => {
  const short = reportWaiver({ id: 'a', policyUri: uri, expiresAt: now + 5 * day })
  const long = { ...short, id: 'b', expiresAt: now + 50 * day }
  expect(asOf(scanOf([fails], [short, long]), on(30)).changes).toEqual([])
  const waiting = { ...long, needsApproval: true }
  expect(asOf(scanOf([fails], [short, waiting]), on(30)).then).toBe('not-releasable')
})

test.each([
  ['notAfter', '2026-12-01T00:00:00Z'],
  ['not_after', '2026-12-01'],
  ['validUntil', '2026-12-01T00:00:00Z'],
  ['expiresAt', Date.UTC(2026, 11, 1)],
  ['expires', Date.UTC(2026, 11, 1) / 1000],
])('validity in the details (%s: %s) runs out on its day', (field, value) => {
  const dated = scanOf([{ ...passes, details: { certificates: [{ [field]: value }] } }])
  expect(asOf(dated, on(8)).changes).toEqual([])
  const then = asOf(dated, on(9))
  expect(then).toMatchObject({
    now: 'releasable',
    then: 'undecided',
    changes: [{ is: 'validity-ends', at: Date.UTC(2026, 11, 1), name: field }],
  })
  expect(changesText(then.changes)).toBe('validity in provenance ends')
})

test.each([
  ['createdAt', '2026-12-01'],
  ['notAfter', 'soon'],
  ['expires', true],
  ['expiresAt', '2026-13-45'],
])('%s: %s names no time until which something is valid', (field, value) => {
  expect(asOf(scanOf([{ ...passes, details: { [field]: value } }]), on(90)).changes).toEqual([])
})

test('a policy that is not applicable yet takes effect on the day of its label', () => {
  const labels = { 'policy.example.com/effective-on': '2026-12-01' }
  const early = { policyUri: uri, status: 'not-applicable', labels } as const
  const then = asOf(scanOf([passes, early]), on(9))
  expect(then).toMatchObject({ then: 'undecided', changes: [{ is: 'takes-effect' }] })
  expect(changesText(then.changes)).toBe('log4j takes effect')
  expect(asOf(scanOf([{ ...passes, labels }]), on(9)).changes).toEqual([])
})

const statuses = fc.constantFrom('satisfied', 'unsatisfied', 'not-applicable' as const)
const dated = fc
  .array(fc.record({ status: statuses, ends: fc.option(fc.integer({ min: -5, max: 40 })) }), {
    maxLength: 6,
  })
  .map((policies) =>
    scanOf(
      policies.map(({ status, ends }, at) => ({
        policyUri: `/policies/A/p${at}`,
        status,
        details: ends === null ? {} : { notAfter: new Date(now + ends * day).toISOString() },
      })),
      policies.flatMap(({ ends }, at) =>
        ends === null
          ? []
          : [reportWaiver({ policyUri: `/policies/A/p${at}`, expiresAt: now + ends * day })],
      ),
    ),
  )

test('nothing gets better by waiting, and what has changed stays changed', () => {
  const rank = ['releasable', 'nothing-applied', 'releasable-unchecked', 'releasable-with-waivers']
  const worth = (verdict: string): number =>
    verdict === 'not-releasable' ? 0 : verdict === 'undecided' ? 1 : rank.includes(verdict) ? 2 : -1
  fc.assert(
    fc.property(dated, fc.nat(40), fc.nat(40), (scanned, a, b) => {
      const [early, late] = [asOf(scanned, on(Math.min(a, b))), asOf(scanned, on(Math.max(a, b)))]
      expect(worth(early.then)).toBeLessThanOrEqual(worth(early.now))
      expect(worth(late.then)).toBeLessThanOrEqual(worth(early.then))
      expect(late.changes.slice(0, early.changes.length)).toEqual(early.changes)
      for (const { at } of late.changes) expect(at).toBeGreaterThan(now)
    }),
    { numRuns: runs(300) },
  )
})

test('a day is answered in one sentence, for the page and for what is read later', () => {
  const waiver = reportWaiver({ policyUri: uri, expiresAt: now + 5 * day })
  const sentence = (dated: DatedScan, days: number) => asOfSentence(asOf(dated, on(days)), 'Dec 1')
  expect(sentence(scanOf([fails, passes], [waiver]), 9)).toBe(
    'Releasable today, not on Dec 1: 1 waiver ends.',
  )
  expect(sentence(scanOf([fails, passes], [waiver]), 3)).toBe(
    'Nothing that is recorded here changes until Dec 1.',
  )
  const expiring = { ...passes, details: { notAfter: '2026-12-01' } }
  expect(sentence(scanOf([expiring]), 9)).toBe(
    'Releasable today, inconclusive on Dec 1: validity in provenance ends.',
  )
  expect(sentence(scanOf([fails, expiring]), 9)).toBe(
    'Not releasable today. Until Dec 1: validity in provenance ends.',
  )
  const unknown = { policyUri: '/policies/A/other', status: 'unknown' } as const
  expect(sentence(scanOf([unknown, expiring]), 9)).toBe(
    'Inconclusive today. Until Dec 1: validity in provenance ends.',
  )
  expect(sentence({ ...scanOf([expiring]), isOverruled: true }, 9)).toBe(
    'Not releasable today. Until Dec 1: validity in provenance ends.',
  )
  const labels = { 'x/effective-on': '2026-12-01' }
  const early = { policyUri: uri, status: 'not-applicable', labels } as const
  expect(sentence(scanOf([early]), 9)).toBe(
    'No policies apply today. Until Dec 1: log4j takes effect.',
  )
  expect(asOfText('2026-12-01', now, 'Nothing changes.')).toBe(
    '2026-12-01 (judged Nov 22, 2026, 12:00 UTC): Nothing changes.',
  )
})
