import { describe, expect, test } from 'vitest'
import type { PolicyStatus } from '../protocol/policy-result.ts'
import type { Waiver } from '../protocol/waiver.ts'
import { groupByPolicy } from './policy-group.ts'
import { isInForce, lastExpiry, waivedVerdict } from './waived-verdict.ts'

const scan = { packagePath: '/packages/npm/app/1.0.0', sha256: 'a'.repeat(64), scan: 'release' }

function waiver(policy: string, change: Partial<Waiver> = {}): Waiver {
  return {
    ...scan,
    id: policy,
    policyUri: `/policies/BuildTool/${policy}`,
    reason: 'known',
    person: 'alice',
    by: 'alice',
    createdAt: 1000,
    expiresAt: 5000,
    endedAt: null,
    endedBy: null,
    ...change,
  }
}

function groups(statuses: Readonly<Record<string, PolicyStatus>>) {
  return groupByPolicy(
    Object.entries(statuses).map(([name, status]) => ({
      policyUri: `https://governor.example/policies/BuildTool/${name}`,
      status,
      statusText: status,
      labels: {},
      description: '',
      remediation: '',
      attestationUri: null,
      sourcedFromUri: null,
      details: {},
    })),
  )
}

const whole = { unreadable: 0, complete: true }

function verdict(
  statuses: Readonly<Record<string, PolicyStatus>>,
  waivers: readonly Waiver[],
  { now = 2000, ...answer }: { now?: number; unreadable?: number; complete?: boolean } = {},
) {
  return waivedVerdict(groups(statuses), { ...whole, ...answer }, { waivers, scan, now })
}

describe('a verdict beside waivers', () => {
  test('is releasable with waivers where all that fails is waived', () => {
    const {
      verdict: beside,
      said,
      waived,
    } = verdict({ one: 'unsatisfied', two: 'satisfied' }, [waiver('one')])
    expect(beside).toBe('releasable-with-waivers')
    expect(said.verdict).toBe('not-releasable')
    expect([...waived.keys()]).toEqual(['/policies/BuildTool/one'])
  })

  test('stays not releasable where one failing policy is not waived', () => {
    const both = { one: 'unsatisfied', two: 'unsatisfied' } as const
    expect(verdict(both, [waiver('one')]).verdict).toBe('not-releasable')
  })

  test.each([
    ['has expired', { expiresAt: 2000 }],
    ['was ended', { endedAt: 1500, endedBy: 'bob' }],
    ['is for another scan', { scan: 'other' }],
    ['is for another artifact', { sha256: 'b'.repeat(64) }],
    ['is for another version', { packagePath: '/packages/npm/app/1.0.1' }],
  ])('does not count a waiver that %s', (_, change) => {
    expect(verdict({ one: 'unsatisfied' }, [waiver('one', change)]).verdict).toBe('not-releasable')
  })

  test('does not hide what was not said', () => {
    const waivers = [waiver('one')]
    const failing = { one: 'unsatisfied' } as const
    expect(verdict(failing, waivers, { complete: false }).verdict).toBe('undecided')
    expect(verdict(failing, waivers, { unreadable: 1 }).verdict).toBe('undecided')
    expect(verdict({ ...failing, two: 'unknown' }, waivers).verdict).toBe('undecided')
  })

  test('counts the waiver that lasts longest', () => {
    const { waived } = verdict({ one: 'unsatisfied' }, [
      waiver('one', { id: 'long', expiresAt: 9000 }),
      waiver('one', { id: 'short', expiresAt: 3000 }),
    ])
    expect(waived.get('/policies/BuildTool/one')?.id).toBe('long')
  })

  test('waives nothing that does not fail', () => {
    expect(verdict({ one: 'satisfied' }, [waiver('one')]).waived.size).toBe(0)
  })
})

test('a waiver counts up to the moment it expires, and not at it', () => {
  expect(isInForce(waiver('one'), 4999)).toBe(true)
  expect(isInForce(waiver('one'), 5000)).toBe(false)
})

test('what holds when the last waiver expired holds until the next one does', () => {
  const waivers = [waiver('one'), waiver('two', { expiresAt: 7000 })]
  expect([4999, 5000, 6999, 7000].map((now) => lastExpiry(waivers, now))).toEqual([
    0, 5000, 5000, 7000,
  ])
})
