import { expect, test } from 'vitest'
import {
  byWeight,
  mayLack,
  requiredOf,
  severityLabel,
  uncheckedPolicies,
  uncheckedText,
} from './severity.ts'
import { policyResult } from './policy-result.test-support.ts'
import { groupByPolicy } from './policy-group.ts'

test('severities stand in the order of their weight, and unknown ones behind', () => {
  expect(['low', 'weird', 'Critical', 'medium', 'high'].sort(byWeight)).toEqual([
    'Critical',
    'high',
    'medium',
    'low',
    'weird',
  ])
})

test.each([
  [['x/owner', 'policy.example.com/compliance/severity'], 'policy.example.com/compliance/severity'],
  [['x/severity-owner'], undefined],
])('the label for severity among %j is %s', (names, wanted) => {
  expect(severityLabel(names)).toBe(wanted)
})

const unchecked = uncheckedPolicies(
  groupByPolicy(
    [
      ['low', 'a'],
      ['HIGH', 'b'],
      ['critical', 'c'],
      ['', 'd'],
    ].map(([severity = '', name = '']) =>
      policyResult({
        status: 'not-applicable',
        policyUri: `https://governor.example/policies/Kind/${name}`,
        labels: severity === '' ? {} : { 'x/severity': severity },
      }),
    ),
  ),
)

test('the most severe of what was not checked comes first', () => {
  expect(unchecked.map(({ severity }) => severity)).toEqual(['critical', 'HIGH', 'low', ''])
  expect(uncheckedText(unchecked.slice(0, 2))).toBe('2 critical or high policies were not checked')
  expect(uncheckedText([])).toBe('')
})

test.each([
  [[], ''],
  [['high'], 'c b'],
  [['all'], 'c b a d'],
  [['d', '/policies/Kind/a'], 'a d'],
  [['unheard-of'], ''],
])('required by %j', (require, wanted) => {
  expect(
    requiredOf(unchecked, require)
      .map(({ uri }) => uri.at(-1))
      .join(' '),
  ).toBe(wanted)
})

test('of very many policies that were not applicable a required one may be among those not listed', () => {
  const listed = [{ uri: '/policies/A/a', severity: 'low' }]
  expect(mayLack(listed, 1, ['b'])).toBe(false)
  expect(mayLack(listed, 2, [])).toBe(false)
  expect(mayLack(listed, 2, ['b'])).toBe(true)
  // The most severe come first.
  expect(mayLack(listed, 2, ['high'])).toBe(false)
  expect(mayLack([{ uri: '/policies/A/a', severity: 'high' }], 2, ['high'])).toBe(true)
  expect(mayLack([], 1, ['high'])).toBe(true)
})
