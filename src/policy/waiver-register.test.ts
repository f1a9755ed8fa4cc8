import { expect, test } from 'vitest'
import { reportWaiver } from './scan-report.test-support.ts'
import {
  endingSoon,
  endsSoonMs,
  isRenewable,
  partsOf,
  unmatchedWaivers,
  waiverCsv,
} from './waiver-register.ts'

const now = 1_000_000_000
const unmatched = new Set<string>()
const far = { expiresAt: now + endsSoonMs + 1 }

test.each([
  ['in force for long', far, ['in force']],
  ['in force for a week', { expiresAt: now + endsSoonMs }, ['in force', 'ending']],
  ['not approved yet', { ...far, needsApproval: true }, ['waiting']],
  ['expired', { expiresAt: now }, ['ended']],
  ['renewed', { ...far, endedAt: 1, endedBy: 'a', renewedBy: 'b' }, ['ended']],
])('what is %s stands in its part of the register', (_what, fields, parts) => {
  expect(partsOf(reportWaiver(fields), { now, unmatched })).toEqual(parts)
})

test('what no run has needed is told apart while it is in force', () => {
  const waiver = reportWaiver({ id: 'a', ...far })
  expect(partsOf(waiver, { now, unmatched: new Set(['a']) })).toEqual(['in force', 'unmatched'])
})

test('a waiver is unmatched where runs since it was given needed it in none', () => {
  const waiver = reportWaiver({ createdAt: 100 })
  const { packagePath, sha256, scan } = waiver
  const run = {
    packagePath,
    sha256,
    scan,
    failing: ['/policies/Other/one'],
    unsatisfied: 1,
    at: 100,
  }
  const needing = { ...run, failing: ['/policies/PackageUrl/log4j'] }
  const isUnmatched = (...runs: readonly (typeof run)[]): boolean =>
    unmatchedWaivers([waiver], runs).includes(waiver)
  expect(isUnmatched(run)).toBe(true)
  // Nothing is known of it yet.
  expect(isUnmatched()).toBe(false)
  expect(isUnmatched({ ...run, at: 99 })).toBe(false)
  expect(isUnmatched({ ...run, scan: 'nightly' })).toBe(false)
  expect(isUnmatched({ ...run, sha256: 'cd'.repeat(32) })).toBe(false)
  // Once is enough, and what was before it says nothing.
  expect(isUnmatched(run, needing)).toBe(false)
  expect(isUnmatched(run, { ...needing, at: 99 })).toBe(true)
  // Of those that fail, not all are known.
  expect(isUnmatched({ ...run, unsatisfied: 2 })).toBe(false)
})

test('what ends soon comes in the order in which it ends', () => {
  const [late, early] = [reportWaiver({ expiresAt: now + 9 }), reportWaiver({ expiresAt: now + 5 })]
  expect(endingSoon([late, early, reportWaiver(far)], now)).toEqual([early, late])
})

test.each([
  [far, true],
  [{ expiresAt: now }, true],
  [{ ...far, renewedBy: 'b' }, false],
  [{ ...far, endedAt: 1, endedBy: 'a' }, false],
  [{ ...far, needsApproval: true }, false],
])('a waiver with %j may be renewed: %s', (fields, may) => {
  expect(isRenewable(reportWaiver(fields), now)).toBe(may)
})

test('the register as CSV says who, why, until when and for which ticket, and runs no formula', () => {
  const csv = waiverCsv(
    [
      reportWaiver({
        ...far,
        reason: '=1+1',
        ticket: 'REL-1',
        versions: { from: '1', until: null },
      }),
    ],
    now,
  )
  const [header, line] = csv.split('\r\n')
  expect(header).toMatch(/^id,standing,policy,/)
  expect(line).toContain("'=1+1")
  expect(line).toContain('REL-1')
  expect(line).toContain('1 and later')
  expect(line).toContain(new Date(far.expiresAt).toISOString())
  expect(line).not.toMatch(/undefined|null/)
  // What isn't known of a waiver is left empty: a bare one has its columns, too.
  const [, bare] = waiverCsv([reportWaiver({ reason: 'r', versions: null })], now).split('\r\n')
  expect(bare?.split(',')).toHaveLength(header?.split(',').length ?? 0)
  expect(bare).not.toMatch(/undefined|null/)
})
