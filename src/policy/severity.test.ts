import { expect, test } from 'vitest'
import {
  absentPolicies,
  byWeight,
  evidenceGaps,
  mayLack,
  requiredIn,
  requiredOf,
  requirementMistake,
  type RunPolicies,
  severityLabel,
  severityOf,
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

test('of several labels for severity the worst counts, without spaces around it', () => {
  expect(severityOf({ 'x/severity': 'low', 'y/severity': ' Critical ' })).toBe('Critical')
  expect(severityOf({ 'x/severity': '', 'y/severity': 'low' })).toBe('low')
  expect(severityOf({ owner: 'high' })).toBe('')
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
  expect(uncheckedText(unchecked.slice(0, 2))).toBe(
    '2 critical or high-severity policies were not checked',
  )
  expect(uncheckedText([])).toBe('')
})

test.each([
  [[], ''],
  [['high'], 'c b'],
  [['all'], 'c b a d'],
  [['High'], 'c b'],
  [['ALL'], 'c b a d'],
  [['d', '/policies/Kind/a'], 'a d'],
  [['Kind/d', 'https://other.example/policies/Kind/a'], 'a d'],
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

const policies = (satisfied: string[], change: Partial<RunPolicies> = {}): RunPolicies => ({
  counts: { satisfied: satisfied.length, unsatisfied: 1, 'not-applicable': 1, unknown: 0 },
  unreadable: 0,
  failing: [{ uri: 'https://governor.example/policies/K/failing' }],
  notApplicable: [{ uri: '/policies/K/none', severity: '' }],
  satisfied: satisfied.map((name) => `/policies/K/${name}`),
  ...change,
})

test('a required policy is absent where no scan of the package has it, however it came out', () => {
  const require = ['a', 'K/b', '/policies/K/failing', 'none', 'high', 'All', 'Sbom']
  const absent = (...scans: (RunPolicies | undefined)[]) => absentPolicies(require, scans)
  expect(absent(policies(['a', 'b']))).toEqual({ names: ['Sbom'], isUnknown: false })
  expect(absent(policies(['a']), policies(['b']))).toEqual({ names: ['Sbom'], isUnknown: false })
  expect(absent(policies(['a', 'b']), policies(['Sbom'])).names).toEqual([])
})

test('nothing is said to be absent where a scan was not evaluated to its end', () => {
  const none = { names: [], isUnknown: false }
  expect(absentPolicies(['a'], [policies([]), undefined])).toEqual(none)
  expect(absentPolicies(['a'], [policies([]), policies([], { ended: 'broken' })])).toEqual(none)
  expect(absentPolicies(['a'], [policies([]), policies([], { unreadable: 1 })])).toEqual(none)
})

test('where not all policies of a run are kept, it is unknown what is absent', () => {
  const many = policies(['a'])
  const runs = [{ ...many, counts: { ...many.counts, satisfied: 201 } }]
  expect(absentPolicies(['b'], runs)).toEqual({ names: [], isUnknown: true })
  expect(absentPolicies(['a'], runs)).toEqual({ names: [], isUnknown: false })
  const old = policies(['a'], { satisfied: undefined, notApplicable: undefined })
  expect(absentPolicies(['a'], [old])).toEqual({ names: [], isUnknown: true })
  expect(absentPolicies(['high'], [old])).toEqual({ names: [], isUnknown: false })
})

test('where not all policies are kept, a run says how each came out that a board required then', () => {
  const require = ['a', 'K/b', 'c', 'gone', 'later']
  const ran = [
    { policyUri: '/policies/K/a', status: 'satisfied' },
    { policyUri: '/policies/K/b', status: 'not-applicable' },
    { policyUri: '/policies/K/c', status: 'unsatisfied' },
    { policyUri: '/policies/L/c', status: 'not-applicable' },
  ] as const
  const { required } = requiredIn(ran, ['a', 'https://g.example/policies/K/a', 'K/b', 'c', 'gone'])
  expect(required?.map(({ name, is }) => `${name} ${is}`)).toEqual([
    'a checked',
    '/policies/K/a checked',
    'K/b not-applicable',
    'c not-applicable',
    'gone absent',
  ])
  expect(requiredIn(ran, ['high', 'all'])).toEqual({})
  const counts = { satisfied: 900, unsatisfied: 1, 'not-applicable': 900, unknown: 0 }
  const run = policies([], { counts, required })
  const absent = absentPolicies(require, [run])
  expect(absent).toEqual({ names: ['gone'], isUnknown: true })
  const gaps = evidenceGaps(run, require, absent)
  expect([gaps.missing.map(({ uri }) => uri), gaps.isUnknown]).toEqual([['K/b', 'c', 'gone'], true])
  const known = ['a', 'K/b', 'c', 'gone']
  expect(evidenceGaps(run, known, absentPolicies(known, [run])).isUnknown).toBe(false)
  expect(evidenceGaps(run, ['a'], absentPolicies(['a'], [run]))).toMatchObject({
    missing: [],
    isUnknown: false,
  })
  // Words stand for many, of which not all are kept.
  expect(evidenceGaps(run, ['a', 'all'], absentPolicies(['a'], [run])).isUnknown).toBe(true)
  // One that is listed isn't said twice.
  const listed = { ...run, notApplicable: [{ uri: '/policies/K/b', severity: 'high' }] }
  expect(evidenceGaps(listed, ['K/b'], absentPolicies(['K/b'], [listed])).missing).toEqual([
    { uri: '/policies/K/b', severity: 'high' },
  ])
})

test('what can hardly be the name of a policy is noticed', () => {
  const can = [
    'sbom',
    'K/sbom',
    '/policies/K/sbom',
    'https://g.example/policies/K/s',
    'High',
    'all',
  ]
  expect(can.map(requirementMistake)).toEqual(can.map(() => undefined))
  const cannot = ['critical', 'sbom, signed', 'a/b/c']
  expect(cannot.map((one) => requirementMistake(one)?.split(/[,:;] /)[0])).toEqual([
    '“critical”',
    '“sbom',
    '“a/b/c”',
  ])
})
