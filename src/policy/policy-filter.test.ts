import fc from 'fast-check'
import { expect, test } from 'vitest'
import { filterPolicies, labelCounts, type PolicyFilter } from './policy-filter.ts'
import { groupByPolicy, type PolicyGroup } from './policy-group.ts'
import { policyResult } from './policy-result.test-support.ts'
import { createPolicyTexts, detailsText } from './result-details.ts'

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
  policy: '',
}

test.each<[string, Partial<PolicyFilter>, string[]]>([
  ['nothing', {}, ['tools', 'log4j', 'licences']],
  ['a status', { statuses: new Set(['unsatisfied'] as const) }, ['log4j']],
  ['one policy', { policy: '/policies/PackageUrl/log4j' }, ['log4j']],
  ['a policy that is not among them', { policy: '/policies/PackageUrl/log' }, []],
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
  const steps = filterPolicies(groups, { ...nothing, ...filter }, createPolicyTexts())
  expect(atEnd(steps).map(({ name }) => name)).toEqual(names)
})

test('several searches, each left off and carried on with anywhere, find what one look over all texts finds', () => {
  const word = fc.constantFrom('a', 'B', 'ab', 'Σ', 'ας', 'İ', '7', 'jitpack', '\u{1F600}')
  const words = fc.array(word, { maxLength: 3 }).map((some) => some.join(' '))
  const result = fc
    .record({
      policyUri: fc.constantFrom('/policies/A/a', '/policies/B/b', '/policies/B/c'),
      status: fc.constantFrom('satisfied' as const, 'unsatisfied' as const),
      description: words,
      labels: fc.dictionary(fc.constantFrom('team', 'severity'), words, { maxKeys: 2 }),
      details: fc.oneof(
        words.map((message) => ({ message })),
        fc.array(words, { maxLength: 2 }).map((uris) => ({ uris })),
        words.map((other) => ({ other })),
      ),
    })
    .map(policyResult)
  // So that policies have more results than are looked at together.
  const results = fc
    .tuple(fc.array(result, { maxLength: 6 }), fc.constantFrom(1, 60))
    .map(([some, times]) => Array.from({ length: times }, () => some).flat())
  const filter = fc.record({
    statuses: fc.subarray(['satisfied', 'unsatisfied'] as const).map((some) => new Set(some)),
    kinds: fc.subarray(['A', 'B']).map((some) => new Set(some)),
    labels: fc
      .dictionary(
        fc.constantFrom('team', 'severity'),
        words.map((value) => new Set([value])),
        {
          maxKeys: 1,
        },
      )
      .map((wanted) => new Map(Object.entries(wanted))),
    text: words,
    policy: fc.constantFrom('', '', '/policies/A/a', '/policies/B/b'),
  })
  fc.assert(
    fc.property(
      results,
      fc.array(filter, { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.nat(3)),
      fc.array(fc.nat(200), { maxLength: 4 }),
      (all, filters, turns, leftOff) => {
        const groups = groupByPolicy(all)
        const texts = createPolicyTexts()
        leftOff.forEach((steps, index) => {
          const search = filterPolicies(groups, filters[index % filters.length] ?? nothing, texts)
          for (let step = 0; step < steps; step++) search.next()
        })
        const searches = filters.map((one) => filterPolicies(groups, one, texts))
        expect(inTurns(searches, turns)).toEqual(
          filters.map((one) => groups.filter((group) => isLetThrough(group, one))),
        )
      },
    ),
  )
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

/** By all texts of a policy at once. */
function isLetThrough(group: PolicyGroup, filter: PolicyFilter): boolean {
  const text = [
    group.policyUri,
    group.description,
    group.remediation,
    ...Object.entries(group.labels).flat(),
    ...group.results.map(({ details }) => detailsText(details)),
  ]
    .join('\n')
    .toLowerCase()
  return (
    (filter.policy === '' || filter.policy === group.key) &&
    (filter.statuses.size === 0 || filter.statuses.has(group.status)) &&
    (filter.kinds.size === 0 || filter.kinds.has(group.kind)) &&
    [...filter.labels].every(
      ([name, values]) => values.size === 0 || values.has(group.labels[name] ?? ''),
    ) &&
    filter.text
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word))
  )
}

function atEnd<T>(steps: Generator<undefined, T, undefined>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Goes on with one or another of several until all are at their ends. */
function inTurns<T>(
  all: readonly Generator<undefined, T, undefined>[],
  turns: Iterator<number>,
): readonly T[] {
  const results = new Map<number, T>()
  for (let turn = 0; results.size < all.length; turn++) {
    const index = (turn + Number(turns.next().value)) % all.length
    const step = results.has(index) ? undefined : all[index]?.next()
    if (step?.done === true) results.set(index, step.value)
  }
  return [...results].sort(([a], [b]) => a - b).map(([, result]) => result)
}
