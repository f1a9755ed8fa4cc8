import { expect, test } from 'vitest'
import type { PolicyStatus } from '../protocol/policy-result.ts'
import { groupByPolicy, type PolicyGroup } from './policy-group.ts'
import { policyResult } from './policy-result.test-support.ts'
import { differenceSentence, runDifference } from './run-difference.ts'

function run(policies: Readonly<Record<string, PolicyStatus>>): PolicyGroup[] {
  return groupByPolicy(
    Object.entries(policies).map(([name, status]) =>
      policyResult({ status, policyUri: `/policies/A/${name}` }),
    ),
  )
}

test.each([
  ['satisfied', 'unsatisfied', 'newly-failing'],
  ['not-applicable', 'unsatisfied', 'newly-failing'],
  [undefined, 'unsatisfied', 'newly-failing'],
  ['unsatisfied', 'unsatisfied', 'still-failing'],
  ['unsatisfied', 'satisfied', 'fixed'],
  ['unsatisfied', 'not-applicable', 'changed'],
  ['unknown', 'satisfied', 'changed'],
  ['satisfied', 'satisfied', 'unchanged'],
  [undefined, 'satisfied', 'added'],
] as const)('from %s to %s is %s', (before, after, change) => {
  const { changes } = runDifference(before ? run({ x: before }) : [], run({ x: after }))
  expect([...changes.values()]).toEqual([change])
})

test('a policy that is no longer in the scan is named', () => {
  const difference = runDifference(
    run({ x: 'satisfied', y: 'satisfied' }),
    run({ x: 'unsatisfied' }),
  )
  expect(difference.gone.map(({ name }) => name)).toEqual(['y'])
  expect(differenceSentence(difference, 'the previous run')).toBe(
    'Since the previous run: 1 newly failing, 1 no longer in the scan.',
  )
})

test('what changed otherwise is told by its pair, before and after', () => {
  const difference = runDifference(
    run({ a: 'not-applicable', b: 'not-applicable', c: 'unsatisfied', d: 'satisfied' }),
    run({ a: 'satisfied', b: 'satisfied', c: 'not-applicable', d: 'unsatisfied' }),
  )
  expect(differenceSentence(difference, 'version 2.3.0')).toBe(
    'Since version 2.3.0: 1 newly failing, 2 not applicable → satisfied, 1 unsatisfied → not applicable.',
  )
  expect([...difference.statusBefore.values()]).toEqual([
    'not-applicable',
    'not-applicable',
    'unsatisfied',
    'satisfied',
  ])
})

test('how many attestations passed before is known where it was another number', () => {
  const [one, two, bad] = ['satisfied', 'satisfied', 'unsatisfied'] as const
  const policyUri = '/policies/A/x'
  const of = (...statuses: readonly PolicyStatus[]) =>
    groupByPolicy(
      statuses.map((status, n) =>
        policyResult({ policyUri, status, attestationUri: `/attestations/${n}` }),
      ),
    )
  const before = of(one, bad, two)
  const after = of(one, two, one)
  expect([...runDifference(before, after).passedBefore]).toEqual([
    [policyUri, { passed: 2, evaluated: 3 }],
  ])
  expect(runDifference(after, after).passedBefore.size).toBe(0)
  const uncounted = before.map((group) => ({ ...group, passed: 0, evaluated: 0 }))
  expect(runDifference(uncounted, after).passedBefore.size).toBe(0)
})

test('compared with a later run it goes back from that', () => {
  const difference = runDifference(run({ x: 'satisfied' }), run({ x: 'unsatisfied' }))
  expect(differenceSentence(difference, 'the run of noon', 'Going back from')).toBe(
    'Going back from the run of noon: 1 newly failing.',
  )
})

test('large counts have thousands separators', () => {
  const names = Array.from({ length: 1200 }, (_, n) => [`x${n}`, 'satisfied'] as const)
  const difference = runDifference(run({}), run(Object.fromEntries(names)))
  expect(differenceSentence(difference, 'the previous run')).toBe(
    'Since the previous run: 1,200 added.',
  )
})

test('nothing is said where nothing changed', () => {
  const same = run({ x: 'unsatisfied', y: 'satisfied' })
  expect(differenceSentence(runDifference(same, same), 'the previous run')).toBe('')
})
