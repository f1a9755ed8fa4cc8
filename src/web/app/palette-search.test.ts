import { expect, test } from 'vitest'
import { exampleView } from '../features/feed/example-view.test-support.ts'
import {
  type Entry,
  findBuilds,
  groupsOf,
  type Kind,
  meantQuery,
  namedBuild,
  projectsOf,
} from './palette-search.ts'

const entry = (kind: Kind, label: string, note: string = kind): Entry => ({
  kind,
  label,
  note,
  to: () => `/${note}/${label}`,
})
const shown = (entries: readonly Entry[], typed: string, recent: readonly Entry[] = []) =>
  groupsOf(entries, typed, recent).map(({ kind, found }) => [
    kind,
    ...found.map(({ entry: { label } }) => label),
  ])

test.each([
  ['', undefined],
  ['night', 'project:night'],
  ['failed', 'buildOutcome:failed'],
  ['project:shop buildOutcome:failed', 'project:shop buildOutcome:failed'],
  ['projct:shop', undefined],
  ['(((', undefined],
])('"%s" may mean the query %j', (typed, expected) => {
  expect(meantQuery(typed)).toEqual(expected)
})

test('words that are known in the data become conditions of their fields', () => {
  const values = (field: string) => (field === 'user' ? [{ value: 'ann', count: 3 }] : [])
  expect(meantQuery('ann failed', values)).toBe('user:ann buildOutcome:failed')
})

test.each([
  ['k3j7q2m5x7a4c', 'k3j7q2m5x7a4c'],
  [' https://builds.example.com/s/k3j7q2m5x7a4c#failure ', 'k3j7q2m5x7a4c'],
  ['https://builds.example.com/context/s/k3j7q2m5x7a4c/timeline', 'k3j7q2m5x7a4c'],
  ['http://127.0.0.1:8080/builds/k3j7q2m5x7a4c?tab=tests', 'k3j7q2m5x7a4c'],
  ['k3j7q2m5x7a4', undefined],
  ['k3j7q2m5x7a4c2', undefined],
  ['https://builds.example.com/k3j7q2m5x7a4c', undefined],
])('%j names the build %j', (typed, expected) => {
  expect(namedBuild(typed)).toBe(expected)
})

const view = exampleView(
  Array.from({ length: 20 }, (_, index) => ({ id: `abc${String(index).padStart(10, '0')}` })),
)

test('builds are found by a part of their id, newest first, a screenful at most', () => {
  const found = findBuilds(view, ' ABC ')
  expect(found.map(({ arrival }) => arrival)).toEqual([20, 19, 18, 17, 16, 15, 14, 13])
  expect(findBuilds(view, '00000003')).toHaveLength(1)
  expect(findBuilds(view, 'https://builds.example.com/s/abc0000000003')).toHaveLength(1)
})

test('two characters are in too many ids to look for', () => {
  expect(findBuilds(view, 'ab')).toEqual([])
})

test('the projects of the feed are counted, those with most builds first', () => {
  const facts = ['web', 'shop', 'shop'].map((project, index) => ({
    id: `abc${String(index).padStart(10, '0')}`,
    facts: { project },
  }))
  expect(projectsOf(exampleView(facts))).toEqual([
    { value: 'shop', count: 2 },
    { value: 'web', count: 1 },
  ])
})

const known = [
  entry('Pages', 'Boards'),
  entry('Boards', 'release'),
  entry('Projects', 'checkout'),
  entry('Packages', 'pkg:oci/checkout@2.4.0'),
  entry('Policy scans', 'pkg:oci/checkout@2.4.0 release'),
]

test.each([
  [
    'check',
    [
      ['Projects', 'checkout'],
      ['Packages', 'pkg:oci/checkout@2.4.0'],
      ['Policy scans', 'pkg:oci/checkout@2.4.0 release'],
    ],
  ],
  [
    'release',
    [
      ['Boards', 'release'],
      ['Policy scans', 'pkg:oci/checkout@2.4.0 release'],
    ],
  ],
  ['2.4.0 rel', [['Policy scans', 'pkg:oci/checkout@2.4.0 release']]],
  ['nothing', []],
])('by "%s" the kind that fits best comes first', (typed, expected) => {
  expect(shown(known, typed)).toEqual(expected)
})

test('with nothing typed what was opened last stands before the short lists', () => {
  expect(shown(known, ' ', [entry('Recent', 'shop', 'project')])).toEqual([
    ['Recent', 'shop'],
    ['Pages', 'Boards'],
    ['Boards', 'release'],
  ])
})

test('what was opened last is listed once, whatever is said of it by now', () => {
  const again = entry('Recent', 'checkout', 'Projects')
  expect(shown(known, 'checkout', [again])[0]).toEqual(['Recent', 'checkout'])
  expect(shown(known, 'checkout', [again]).flat()).not.toContain('Projects')
  const renamed = { ...again, note: 'project, 2 builds in the feed' }
  expect(shown(known, 'checkout', [renamed]).flat()).not.toContain('Projects')
})

test('a group has a screenful at most', () => {
  const many = Array.from({ length: 50 }, (_, index) => entry('Projects', `shop-${index}`))
  expect(shown(many, 'shop').flat()).toHaveLength(1 + 6)
})

test('among 10,000 projects and 30,000 packages and scans the right ones are on top', () => {
  const many = Array.from({ length: 10_000 }, (_, index) => {
    const label = `pkg:maven/com.acme.team${index % 97}/service-${index}@1.${index}.0`
    return [
      entry('Projects', `team-${index % 97}/service-${index}`),
      entry('Packages', label),
      entry('Policy scans', `${label} release`),
      entry('Policy scans', `${label} build`),
    ]
  }).flat()
  const [projects, packages, scans] = shown(many, 'service-99')
  expect(projects?.slice(0, 2)).toEqual(['Projects', 'team-2/service-99'])
  expect(packages?.[1]).toBe('pkg:maven/com.acme.team2/service-99@1.99.0')
  expect(scans?.[1]).toBe('pkg:maven/com.acme.team2/service-99@1.99.0 build')
})

test('builds whose id begins by chance with what was typed stand below what is meant', () => {
  const byChance = { ...entry('Builds', 'utcecoqa35qji'), isByChance: true }
  expect(shown([byChance, entry('Settings and actions', 'Time zone: UTC')], 'utc')).toEqual([
    ['Settings and actions', 'Time zone: UTC'],
    ['Builds', 'utcecoqa35qji'],
  ])
})
