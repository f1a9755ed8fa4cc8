import { expect, test } from 'vitest'
import { groupByPolicy } from '../../../policy/policy-group.ts'
import { policyResult } from '../../../policy/policy-result.test-support.ts'
import type { PolicyChange } from '../../../policy/run-difference.ts'
import { policySections } from './policy-list.tsx'
import type { Grouping } from './scan-address.ts'

const severity = 'policy.example.com/severity'
const groups = groupByPolicy([
  policyResult({ policyUri: '/policies/A/one', labels: { [severity]: 'low' } }),
  policyResult({ policyUri: '/policies/B/two', status: 'not-applicable' }),
  policyResult({
    policyUri: '/policies/A/three',
    status: 'unsatisfied',
    labels: { [severity]: 'critical' },
  }),
  policyResult({ policyUri: '/odd', status: 'unknown', statusText: 'deferred' }),
])

const changes = new Map<string, PolicyChange>([
  ['/policies/A/three', 'newly-failing'],
  ['/policies/A/one', 'fixed'],
])

test.each<readonly [Grouping, readonly string[]]>([
  ['status', ['unsatisfied: three', 'unknown: odd', 'satisfied: one', 'not applicable: two']],
  ['kind', ['A: three one', 'Unknown kind: odd', 'B: two']],
  ['change', ['newly failing: three', 'fixed: one', 'Not compared: odd two']],
  [
    `label:${severity}`,
    ['severity: critical: three', 'severity: low: one', 'Without severity: odd two'],
  ],
  // What every object has is no label.
  ['label:constructor', ['Without constructor: three odd one two']],
])('policies by %s', (by, wanted) => {
  const sections = policySections(groups, by, changes)
  expect(
    sections.map(({ title, groups }) => `${title}: ${groups.map(({ name }) => name).join(' ')}`),
  ).toEqual(wanted)
})
