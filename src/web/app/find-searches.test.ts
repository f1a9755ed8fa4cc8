import { expect, test } from 'vitest'
import { findSearches } from './find-searches.ts'

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
