import { expect, test } from 'vitest'
import { groupByPolicy, policyKey, policyName } from './policy-group.ts'
import type { PolicyStatus } from '../protocol/policy-result.ts'
import { policyResult } from './policy-result.test-support.ts'

test('results of one policy are one group, in the order in which policies first came', () => {
  const groups = groupByPolicy([
    policyResult({ policyUri: '/policies/A/one' }),
    policyResult({ policyUri: '/policies/B/two' }),
    policyResult({ policyUri: 'https://governor.example.com/policies/A/one' }),
  ])
  expect(groups.map(({ key, results }) => [key, results.length])).toEqual([
    ['/policies/A/one', 2],
    ['/policies/B/two', 1],
  ])
  expect(groups[0]).toMatchObject({ kind: 'A', name: 'one' })
})

test.each([
  [['satisfied', 'unsatisfied', 'unknown'], 'unsatisfied', 1, 3],
  [['satisfied', 'unknown'], 'unknown', 1, 2],
  [['satisfied', 'not-applicable'], 'satisfied', 1, 1],
  [['not-applicable', 'not-applicable'], 'not-applicable', 0, 0],
] as const)('%j together are %s, %i of %i passed', (statuses, status, passed, evaluated) => {
  const [group] = groupByPolicy(
    statuses.map((one, n) => policyResult({ status: one, attestationUri: `/attestations/${n}` })),
  )
  expect(group).toMatchObject({ status, passed, evaluated })
})

test('an attestation with several results is counted once, and passes only with all of them', () => {
  const uri = '/attestations/a'
  const of = (...statuses: readonly PolicyStatus[]) =>
    groupByPolicy(statuses.map((status) => policyResult({ status, attestationUri: uri })))[0]
  expect(of('satisfied', 'satisfied')).toMatchObject({ passed: 1, evaluated: 1 })
  const mixed = ['satisfied', 'unsatisfied', 'satisfied', 'not-applicable'] as const
  expect(of(...mixed)).toMatchObject({ passed: 0, evaluated: 1 })
})

test('a result without an attestation counts for the status, and is no attestation that passed', () => {
  const [none] = groupByPolicy([policyResult()])
  expect(none).toMatchObject({ status: 'satisfied', passed: 0, evaluated: 0 })
  const [one] = groupByPolicy([
    policyResult({ attestationUri: '/attestations/1' }),
    policyResult({ status: 'unsatisfied' }),
  ])
  expect(one).toMatchObject({ status: 'unsatisfied', passed: 1, evaluated: 1 })
})

test('what a failing result says comes before what a passing one says', () => {
  const [group] = groupByPolicy([
    policyResult({ description: 'passes', labels: { severity: 'low', team: 'a' } }),
    policyResult({
      status: 'unsatisfied',
      description: 'fails',
      remediation: 'Do this.',
      labels: { severity: 'high' },
    }),
  ])
  expect(group).toMatchObject({
    description: 'fails',
    remediation: 'Do this.',
    labels: { severity: 'high', team: 'a' },
  })
})

test.each([
  ['/policies/BuildTool/supported', 'BuildTool', 'supported'],
  ['https://g.example.com/base/policies/PackageUrl/no%20log4j?x=1', 'PackageUrl', 'no log4j'],
  ['urn:policy:thing', '', 'urn:policy:thing'],
  ['/policies/%ff/x', '%ff', 'x'],
  ['', '', ''],
])('%s is a %s called %s', (uri, kind, name) => {
  expect(policyName(uri)).toEqual({ kind, name })
})

test('a path and an absolute address name the same policy', () => {
  expect(policyKey('https://g.example.com/policies/A/b')).toBe(policyKey('/policies/A/b'))
  expect(policyKey('urn:x')).not.toBe(policyKey('urn:y'))
})
