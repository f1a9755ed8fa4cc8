import { expect, test } from 'vitest'
import { topShares } from './minute-chart.tsx'

test('the largest come first, and equals by name', () => {
  const counts = new Map([
    ['npm', 2],
    ['gradle', 7],
    ['bazel', 2],
  ])
  expect(topShares(counts, 5).map(({ name }) => name)).toEqual(['gradle', 'bazel', 'npm'])
})

test('what does not fit is taken together, so that the shares still make a whole', () => {
  const counts = new Map([
    ['a', 5],
    ['b', 4],
    ['c', 3],
    ['d', 2],
  ])
  expect(topShares(counts, 3)).toEqual([
    { name: 'a', count: 5 },
    { name: 'b', count: 4 },
    { name: 'other', count: 5 },
  ])
})
