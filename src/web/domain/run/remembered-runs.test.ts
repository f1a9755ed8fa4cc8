import { expect, test } from 'vitest'
import { groupByPolicy } from '../../../policy/policy-group.ts'
import { policyResult } from '../../../policy/policy-result.test-support.ts'
import { runDifference } from '../../../policy/run-difference.ts'
import type { RememberedRun } from '../../ui/device-preferences.ts'
import { groupsOfRun, runsBefore, withRun } from './remembered-runs.ts'

const release = {
  path: '/packages/oci/app/1/policy-scans/release',
  sha256: 'ab',
  repositoryUrl: 'registry.example/one',
}
const attestationUri = '/attestations/1'
const passing = groupByPolicy([policyResult({ attestationUri })])
const failing = groupByPolicy([policyResult({ status: 'unsatisfied', attestationUri })])

test('a kept run shows what changed since', () => {
  const runs = withRun([], { ...release, at: 1000, groups: passing })
  const [before] = runsBefore(runs, release, 2001)
  const { changes } = runDifference(before === undefined ? [] : groupsOfRun(before), failing)
  expect([...changes.values()]).toEqual(['newly-failing'])
})

test('a kept run shows how many attestations passed', () => {
  const [run] = withRun([], { ...release, at: 1000, groups: failing })
  const before = run === undefined ? [] : groupsOfRun(run)
  expect([...runDifference(before, passing).passedBefore.values()]).toEqual([
    { passed: 0, evaluated: 1 },
  ])
})

test('a run is kept once, and is not the one before itself', () => {
  const runs = withRun([], { ...release, at: 1000, groups: passing })
  expect(withRun(runs, { ...release, at: 1000, groups: passing })).toBe(runs)
  expect(runsBefore(runs, release, 1000)).toEqual([])
  // The time of the same run, as the server recorded it and as it was reckoned here, may differ by that.
  expect(runsBefore(runs, release, 2000)).toEqual([])
})

test('five runs of one artifact are kept, and those of others with them', () => {
  let runs: readonly RememberedRun[] = []
  const elsewhere = { ...release, repositoryUrl: 'registry.example/two' }
  runs = withRun(runs, { ...release, sha256: 'cd', at: 1, groups: failing })
  runs = withRun(runs, { ...elsewhere, at: 2, groups: failing })
  for (let at = 10; at < 20; at++) runs = withRun(runs, { ...release, at, groups: passing })
  expect(runsBefore(runs, release, 2000).map(({ at }) => at)).toEqual([19, 18, 17, 16, 15])
  expect(runsBefore(runs, { ...release, sha256: 'cd' }, 2000)).toHaveLength(1)
  expect(runsBefore(runs, elsewhere, 2000).map(({ at }) => at)).toEqual([2])
})

test('of huge scans only as many policies are kept as there is room for', () => {
  const many = groupByPolicy(
    Array.from({ length: 1500 }, (_, index) => policyResult({ policyUri: `/policies/A/${index}` })),
  )
  let runs: readonly RememberedRun[] = []
  for (let at = 1; at < 6; at++) runs = withRun(runs, { ...release, at, groups: many })
  expect(runs.map(({ at }) => at)).toEqual([5, 4])
  const tooMany = [...many, ...many, ...many]
  expect(withRun(runs, { ...release, at: 6, groups: tooMany })).toBe(runs)
})
