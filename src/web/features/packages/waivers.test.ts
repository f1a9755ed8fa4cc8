import { describe, expect, test } from 'vitest'
import { reportWaiver } from '../../../policy/scan-report.test-support.ts'
import { waiversElsewhere } from '../../../policy/waiver-carry.ts'
import { type Waiver, waiverStanding } from '../../../protocol/waiver.ts'
import { waiversAt, waiversOfScan } from './waivers.tsx'

const here = reportWaiver()

function waiver(id: string, fields: Partial<Waiver> = {}): Waiver {
  return reportWaiver({ id, createdAt: 1000, expiresAt: 5000, ...fields })
}

function ids(waivers: Iterable<Waiver>): readonly string[] {
  return [...waivers].map(({ id }) => id)
}

test.each([
  [{}, 4999, 'in force'],
  [{}, 5000, 'expired'],
  [{ endedAt: 2000, endedBy: 'bob' }, 4999, 'ended early'],
] as const)('%j stands at %i as: %s', (fields, now, standing) => {
  expect(waiverStanding(waiver('a', fields), now)).toBe(standing)
})

describe('waivers of other versions', () => {
  const older = { packagePath: '/packages/oci/checkout/2.3.0', sha256: 'cd'.repeat(32) }

  test('are offered by policy, the one that was given last', () => {
    const waivers = [
      waiver('here'),
      waiver('first', older),
      waiver('last', { ...older, createdAt: 2000 }),
      waiver('rebuilt', { sha256: 'ef'.repeat(32), createdAt: 500 }),
    ]
    expect(ids(waiversElsewhere(waivers, here, 3000).values())).toEqual(['last'])
    expect(ids(waiversOfScan(waivers, here))).toEqual(['here'])
  })

  test.each([
    ['is of another scan', { scan: 'other' }],
    ['was ended', { endedAt: 1500, endedBy: 'bob' }],
    ['has expired', { expiresAt: 2000 }],
  ])('are not offered where one %s', (_, fields) => {
    expect(waiversElsewhere([waiver('a', { ...older, ...fields })], here, 3000).size).toBe(0)
  })
})

test('at an earlier time what was given later is not there, and what was ended later is in force', () => {
  const waivers = [
    waiver('later', { createdAt: 3000 }),
    waiver('ended later', { endedAt: 2500, endedBy: 'bob' }),
    waiver('ended before', { endedAt: 1500, endedBy: 'bob' }),
  ]
  expect(waiversAt(waivers, 2000).map(({ id, endedAt }) => [id, endedAt])).toEqual([
    ['ended later', null],
    ['ended before', 1500],
  ])
})
