import { describe, expect, test } from 'vitest'
import type { Waiver } from '../protocol/waiver.ts'
import { reportWaiver } from './scan-report.test-support.ts'
import { carriedWaiver, carryOffers, waiversElsewhere } from './waiver-carry.ts'

const here = reportWaiver()

function waiver(id: string, fields: Partial<Waiver> = {}): Waiver {
  return reportWaiver({ id, createdAt: 1000, expiresAt: 5000, ...fields })
}

function ids(waivers: Iterable<Waiver>): readonly string[] {
  return [...waivers].map(({ id }) => id)
}

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
  })

  test.each([
    ['is of another scan', { scan: 'other' }],
    ['was ended', { endedAt: 1500, endedBy: 'bob' }],
    ['has expired', { expiresAt: 2000 }],
  ])('are not offered where one %s', (_, fields) => {
    expect(waiversElsewhere([waiver('a', { ...older, ...fields })], here, 3000).size).toBe(0)
  })
})

test('each failure is offered the waiver of its own package, scan and policy, with reason and end', () => {
  const older = { packagePath: '/packages/oci/checkout/2.3.0', sha256: 'cd'.repeat(32) }
  const { scan, policyUri, packagePath, sha256 } = here
  const of = { packagePath, sha256, scan, policyUri }
  const other = { ...of, packagePath: '/packages/oci/web/2.4.0' }
  const from = waiver('old', { ...older, reason: 'known', ticket: 'REL-1' })
  const offers = carryOffers([of, other, { ...of, policyUri: '/policies/A/b' }], [from], 3000)
  expect(offers).toEqual([{ of, from }])
  expect(offers.map(carriedWaiver)).toMatchObject([
    { ...of, reason: 'known', ticket: 'REL-1', expiresAt: 5000, carriedFrom: 'old' },
  ])
})
