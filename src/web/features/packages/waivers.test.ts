import { expect, test } from 'vitest'
import { reportWaiver } from '../../../policy/scan-report.test-support.ts'
import { type Waiver, waiverStanding } from '../../../protocol/waiver.ts'
import { standingsText, waiversAt, waiversOfScan } from './waivers.tsx'

function waiver(id: string, fields: Partial<Waiver> = {}): Waiver {
  return reportWaiver({ id, createdAt: 1000, expiresAt: 5000, ...fields })
}

test.each([
  [{}, 4999, 'in force'],
  [{}, 5000, 'expired'],
  [{ endedAt: 2000, endedBy: 'bob' }, 4999, 'ended early'],
  [{ endedAt: 2000, endedBy: 'bob', renewedBy: 'b' }, 4999, 'renewed'],
  [{ needsApproval: true }, 4999, 'waiting for approval'],
  [{ needsApproval: true }, 5000, 'expired'],
  [{ needsApproval: true, endedAt: 2000, endedBy: 'cy' }, 4999, 'declined'],
  [{ needsApproval: true, endedAt: 2000, endedBy: 'bob' }, 4999, 'withdrawn'],
  [{ needsApproval: true, approvedAt: 2000, approvedBy: 'bob' }, 4999, 'in force'],
] as const)('%j stands at %i as: %s', (fields, now, standing) => {
  expect(waiverStanding(waiver('a', fields), now)).toBe(standing)
})

test('what waits for approval has not ended', () => {
  const waivers = [
    waiver('a'),
    waiver('b', { needsApproval: true }),
    waiver('c', { endedAt: 1500 }),
  ]
  expect(standingsText(waivers, 4999)).toBe('1 in force, 1 waiting for approval, 1 ended')
  expect(standingsText(waivers, 5000)).toBe('0 in force, 3 ended')
})

test('at an earlier time what was given later is not there, and what was ended later is in force', () => {
  const waivers = [
    waiver('later', { createdAt: 3000 }),
    waiver('ended later', { endedAt: 2500, endedBy: 'bob' }),
    waiver('ended before', { endedAt: 1500, endedBy: 'bob' }),
    waiver('approved later', { needsApproval: true, approvedAt: 2500, approvedBy: 'bob' }),
  ]
  const then = waiversAt(waivers, 2000)
  expect(then.map((one) => [one.id, one.endedAt, waiverStanding(one, 2000)])).toEqual([
    ['ended later', null, 'in force'],
    ['ended before', 1500, 'ended early'],
    ['approved later', null, 'waiting for approval'],
  ])
})

test('of a scan are those of its artifact, and those for its version', () => {
  const elsewhere = { packagePath: '/packages/oci/checkout/2.3.0', sha256: 'cd'.repeat(32) }
  const waivers = [
    waiver('here'),
    waiver('other version', elsewhere),
    waiver('versions', { ...elsewhere, versions: { from: '2.3', until: null } }),
    waiver('rebuilt', { sha256: 'ef'.repeat(32) }),
  ]
  expect(waiversOfScan(waivers, reportWaiver()).map(({ id }) => id)).toEqual(['here', 'versions'])
})
