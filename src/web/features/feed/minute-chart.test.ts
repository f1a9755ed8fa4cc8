import { expect, test } from 'vitest'
import { exampleView } from './example-view.test-support.ts'
import { countedSince, topShares } from './minute-chart.tsx'

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

test('an hour with missing builds is not called the last hour', () => {
  const builds = [{ timestamp: 5000 }, { timestamp: 6000 }]
  expect(countedSince(exampleView(builds), 1000, false)).toBeUndefined()
  expect(countedSince(exampleView(builds, { isPartial: true, gaps: 1 }), 1000, false)).toBe(5000)
  const dropped = exampleView(builds, { dropped: 7 })
  expect(countedSince(dropped, 1000, false)).toBeUndefined()
  expect(countedSince(dropped, 1000, true)).toBe(5000)
  expect(countedSince(dropped, 5500, true)).toBeUndefined()
})
