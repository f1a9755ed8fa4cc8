import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../property-runs.test-support.ts'
import { rowsInSight, rowsToShow } from './virtual-rows.ts'

test('the rows in sight are in the document, and eight more on both sides', () => {
  expect(rowsInSight(0, 320, 32)).toEqual({ first: 0, end: 18 })
  expect(rowsInSight(3200, 320, 32)).toEqual({ first: 92, end: 118 })
})

test('a list that is not laid out yet has no rows', () => {
  expect(rowsToShow(rowsInSight(0, 0, 32), 1000, undefined)).toEqual([])
})

test('the current row stays in the document wherever the list is scrolled to', () => {
  const sight = { first: 10, end: 13 }
  expect(rowsToShow(sight, 100, 2)).toEqual([2, 10, 11, 12])
  expect(rowsToShow(sight, 100, 11)).toEqual([10, 11, 12])
  expect(rowsToShow(sight, 100, 50)).toEqual([10, 11, 12, 50])
  expect(rowsToShow(sight, 12, 50)).toEqual([10, 11])
})

test('no part of the window is without its row', () => {
  fc.assert(
    fc.property(
      fc.nat(1_000_000),
      fc.integer({ min: 1, max: 3000 }),
      fc.constantFrom(32, 44, 88),
      (top, height, rowHeight) => {
        const { first, end } = rowsInSight(top, height, rowHeight)
        expect(first * rowHeight).toBeLessThanOrEqual(top)
        expect(end * rowHeight).toBeGreaterThanOrEqual(top + height)
      },
    ),
    { numRuns: runs(200) },
  )
})
