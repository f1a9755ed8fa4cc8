import { expect, test } from 'vitest'
import { dotRadius, labeledPlaces } from './line-values.ts'

test('a single value is drawn larger than one among others', () => {
  expect(dotRadius([null, 3, null])).toBe(4)
  expect(dotRadius([2, 3])).toBe(1.5)
})

test.each([
  [1, 0, [0, 1]],
  [2, 1, [0, 2]],
  [3, 1, [0, 1, 3]],
  // One bar in a chart that has room for more.
  [30, 0, [0, 30]],
])('no place of %d is labeled twice', (count, middle, places) => {
  expect(labeledPlaces(count, middle)).toEqual(places)
})
