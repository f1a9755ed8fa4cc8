import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import { niceDuration, shapeBefore, trendShape } from './trend-shape.ts'

const hour = 3_600_000
const day = 24 * hour
const begin = Date.UTC(2026, 10, 14, 9, 14)

test.each([
  [2 * hour, hour / 6],
  [day, hour],
  [7 * day, 6 * hour],
  [28 * day, day],
  [365 * day, 14 * day],
])('%i ms are cut in round parts', (length, step) => {
  expect(trendShape({ from: begin, to: begin + length }, 0).step).toBe(step)
})

test('parts are at most 40 and hold the whole of any time; those before have the same places', () => {
  const time = fc.integer({ min: 0, max: 100 * 365 * day })
  fc.assert(
    fc.property(time, time, fc.integer({ min: -12, max: 14 }), (from, length, zone) => {
      const to = from + length + 1
      const shape = trendShape({ from, to }, zone * hour)
      const bars = Math.ceil((to - shape.from) / shape.step)
      expect(bars).toBeLessThanOrEqual(40)
      expect(shape.from).toBeLessThanOrEqual(from)
      expect(from - shape.from).toBeLessThan(shape.step)
      expect(Math.abs((shape.from + zone * hour) % shape.step)).toBe(0)
      const before = shapeBefore(shape, from)
      expect((shape.from - before.from) / shape.step).toBe(bars)
      expect(before.from).toBeLessThanOrEqual(from - length)
    }),
    { numRuns: runs(500) },
  )
})

test('an axis of durations ends at a round one', () => {
  expect([900, 70_000, 9 * 60_000, 5 * hour, 50 * hour].map(niceDuration)).toEqual([
    1000,
    120_000,
    600_000,
    6 * hour,
    72 * hour,
  ])
})
