import { expect, test } from 'vitest'
import { exampleView } from '../features/feed/example-view.test-support.ts'
import { findBuilds, findSearches } from './palette-search.ts'

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
