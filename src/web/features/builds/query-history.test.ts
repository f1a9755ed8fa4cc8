import { expect, test } from 'vitest'
import { matchesText, onDeviceOnly } from './query-panel.tsx'

test('what the server knows is not listed again as of this device', () => {
  expect(onDeviceOnly(['tag:a ', 'tag:b'], [{ query: 'tag:a' }])).toEqual(['tag:b'])
})

test.each([
  [null, false, ''],
  [1, true, ', 1 build'],
  [12_000, true, ', 12,000 builds'],
  [100, false, ', 100+ builds'],
])('%s matches, complete: %s', (matches, isComplete, words) => {
  expect(matchesText({ query: 'a', zone: null, at: 1, matches, isComplete })).toBe(words)
})
