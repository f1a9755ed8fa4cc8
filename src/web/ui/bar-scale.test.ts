import fc from 'fast-check'
import { expect, test } from 'vitest'
import { niceMaximum, stackParts } from './bar-scale.ts'

test.each([
  [0, 5],
  [5, 5],
  [6, 10],
  [14, 20],
  [21, 50],
  [120, 200],
  [1001, 2000],
])('an axis that holds %d ends at %d', (max, end) => {
  expect(niceMaximum(max)).toBe(end)
})

test('an axis always holds its bars, and wastes less than two and a half times the room', () => {
  fc.assert(
    fc.property(fc.integer({ min: 5, max: 1e9 }), (max) => {
      const end = niceMaximum(max)
      expect(end).toBeGreaterThanOrEqual(max)
      expect(end).toBeLessThanOrEqual(2.5 * max)
    }),
  )
})

test('parts stand on one another and on the ground', () => {
  expect(stackParts([5, 10, 0], 20, 100)).toEqual([
    { top: 75, height: 25 },
    { top: 25, height: 50 },
    { top: 25, height: 0 },
  ])
})
