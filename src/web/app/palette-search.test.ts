import { expect, test } from 'vitest'
import { exampleView } from '../features/feed/example-view.test-support.ts'
import { findBoards, findBuilds, findPackages, findSearches } from './palette-search.ts'

const saved = [
  { name: 'Nightly', query: 'tag:nightly buildOutcome:failed' },
  { name: 'Mine', query: 'user:ann', zone: 'UTC' },
]
const labels = (typed: string) => findSearches(typed, saved).map(({ label }) => label)

test.each([
  ['', ['Nightly', 'Mine']],
  ['night', ['Nightly', 'Search for project:*night*', 'Search for tag:night']],
  ['project:shop buildOutcome:failed', ['Search for project:shop buildOutcome:failed']],
  ['user:ann', ['Mine', 'Search for user:ann']],
  ['projct:shop', []],
  ['(((', []],
])('"%s" may mean %j', (typed, expected) => {
  expect(labels(typed)).toEqual(expected)
})

test('a saved search keeps its zone', () => {
  expect(findSearches('mine', saved)[0]).toEqual({ label: 'Mine', query: 'user:ann', zone: 'UTC' })
})

const view = exampleView(
  Array.from({ length: 20 }, (_, index) => ({ id: `abc${String(index).padStart(10, '0')}` })),
)

test('builds are found by a part of their id, newest first, a screenful at most', () => {
  const found = findBuilds(view, ' ABC ')
  expect(found.map(({ arrival }) => arrival)).toEqual([20, 19, 18, 17, 16, 15, 14, 13])
  expect(findBuilds(view, '00000003')).toHaveLength(1)
})

test('two characters are in too many ids to look for', () => {
  expect(findBuilds(view, 'ab')).toEqual([])
})

const artifact = { sha256: 'ab'.repeat(32), repositoryUrl: 'registry.example/shop' }
const known = ['checkout', 'cart'].map((name) => ({
  address: { type: 'oci', name, version: '2.4.0' },
  ...artifact,
  scans: ['release', 'production'],
}))

test.each([
  [
    'check',
    [
      'pkg:oci/checkout@2.4.0',
      'pkg:oci/checkout@2.4.0 release',
      'pkg:oci/checkout@2.4.0 production',
    ],
  ],
  ['cart prod', ['pkg:oci/cart@2.4.0 production']],
  ['2.4.0 release', ['pkg:oci/checkout@2.4.0 release', 'pkg:oci/cart@2.4.0 release']],
  ['c', []],
  ['nothing', []],
])('packages and their scans are found by "%s"', (typed, wanted) => {
  expect(findPackages(known, typed).map(({ label }) => label)).toEqual(wanted)
})

test('a scan leads to its page, of the artifact that is known', () => {
  expect(findPackages(known, 'cart prod')[0]?.to).toMatch(
    /^\/packages\/oci\/cart\/2\.4\.0\/policy-scans\/production\?sha256=abab.*&repository=registry/,
  )
})

test('boards are found by name and by title', () => {
  const boards = [{ name: 'release', title: 'Next release', packages: [], scans: [], require: [] }]
  expect(findBoards(boards, 'next')).toEqual([
    { label: 'Board Next release', description: '0 packages', to: '/board/release' },
  ])
  expect(findBoards(boards, 'zzz')).toEqual([])
})
