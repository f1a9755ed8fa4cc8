import fc from 'fast-check'
import { expect, test } from 'vitest'
import { niceMaximum, seriesPaths, valuesText } from './bar-scale.ts'

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

test('series stand on one another and on the ground, and one without a value draws nothing', () => {
  const bars = [
    { id: 1, label: '09:14', values: [5, 10, 0] },
    { id: 2, label: '09:15', values: [0, 20, 0] },
  ]
  const paths = seriesPaths(
    bars,
    3,
    (place) => 10 * place,
    (value) => 100 - 5 * value,
  )
  expect(paths).toEqual(['M1 100h8V75h-8Z', 'M1 75h8V25h-8ZM11 100h8V0h-8Z', ''])
})

test('a bar in words leaves out what it has none of', () => {
  const series = [
    { name: 'failed', color: 'red' },
    { name: 'succeeded', color: 'green' },
  ]
  expect(valuesText(series, { id: 1, label: '', values: [2, 1240] })).toBe(
    '2 failed, 1,240 succeeded',
  )
  expect(valuesText(series, { id: 1, label: '', values: [0, 0] })).toBe('none')
})
