import { describe, expect, test } from 'vitest'
import type { PolicyStatus } from '../protocol/policy-result.ts'
import type { Waiver } from '../protocol/waiver.ts'
import { groupByPolicy } from './policy-group.ts'
import { policyResult } from './policy-result.test-support.ts'
import { reportWaiver } from './scan-report.test-support.ts'
import { isInForce, lastExpiry, waivedSentence, waivedVerdict } from './waived-verdict.ts'

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
    'Releasable with 1 waiver until day 3: the policy service reports 1 of 2 policies unsatisfied.',
  ],
  [
    ['unsatisfied', 'unsatisfied', 'not-applicable'],
    [9, 3],
    'Releasable with 2 waivers until day 3: the policy service reports 2 of 3 policies unsatisfied, 1 not applicable.',
  ],
  [
    ['unsatisfied', 'unsatisfied', 'satisfied'],
    [3],
    'Not releasable: 2 of 3 policies unsatisfied (1 waived until day 3).',
  ],
  [
    ['unsatisfied', 'unknown'],
    [3],
    'Inconclusive, with 1 waiver until day 3: the policy service reports 1 of 2 policies unsatisfied, 1 with an unknown status.',
  ],
  [['satisfied'], [3], 'Releasable: 1 of 1 policy satisfied.'],
] as const)('%j with waivers for %j days: %s', (statuses, days, words) => {
  expect(sentence(statuses, days)).toBe(words)
})

test('an answer that broke off is never releasable, whatever is waived', () => {
  expect(sentence(['unsatisfied'], [3], false)).toMatch(/^Inconclusive, with 1 waiver until day 3/)
})
