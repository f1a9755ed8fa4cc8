import { expect, test } from 'vitest'
import { filterPolicies, labelCounts, type PolicyFilter } from './policy-filter.ts'
import { groupByPolicy } from './policy-group.ts'
import { policyResult } from './policy-result.test-support.ts'

const groups = groupByPolicy([
  policyResult({ policyUri: '/policies/BuildTool/tools', labels: { severity: 'high' } }),
  policyResult({
    policyUri: '/policies/PackageUrl/log4j',
    status: 'unsatisfied',
    labels: { severity: 'high', team: 'core' },
    remediation: 'Upgrade the package.',
    details: { vulnerablePackage: 'pkg:maven/log4j@2.14.1' },
  }),
  policyResult({ policyUri: '/policies/PackageUrl/licences', labels: { severity: 'low' } }),
])
const nothing: PolicyFilter = {
  statuses: new Set(),
  kinds: new Set(),
  labels: new Map(),
  text: '',
}

test.each<[string, Partial<PolicyFilter>, string[]]>([
  ['nothing', {}, ['tools', 'log4j', 'licences']],
  ['a status', { statuses: new Set(['unsatisfied'] as const) }, ['log4j']],
  ['a kind', { kinds: new Set(['PackageUrl']) }, ['log4j', 'licences']],
  ['a label', { labels: new Map([['severity', new Set(['high'])]]) }, ['tools', 'log4j']],
  [
    'one of two values',
    { labels: new Map([['severity', new Set(['high', 'low'])]]) },
    ['tools', 'log4j', 'licences'],
  ],
  [
    'two labels',
    {
      labels: new Map([
        ['severity', new Set(['high'])],
        ['team', new Set(['core'])],
      ]),
    },
    ['log4j'],
  ],
  [
    'a label of which nothing is wanted',
    { labels: new Map([['team', new Set()]]) },
    ['tools', 'log4j', 'licences'],
  ],
  ['words anywhere', { text: 'UPGRADE 2.14' }, ['log4j']],
  ['words that are nowhere', { text: 'upgrade licences' }, []],
])('filtered by %s', (_, filter, names) => {
  expect(filterPolicies(groups, { ...nothing, ...filter }).map(({ name }) => name)).toEqual(names)
})

test('labels are counted by policy', () => {
  expect(labelCounts(groups)).toEqual(
    new Map([
      [
        'severity',
        new Map([
          ['high', 2],
          ['low', 1],
        ]),
      ],
      ['team', new Map([['core', 1]])],
    ]),
  )
})
