import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import { dayAt } from './query-time.ts'
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
  expect(trendShape({ from: begin, to: begin + length }, 'UTC').step).toBe(step)
})

const zones = ['UTC', 'America/New_York', 'Asia/Kolkata', 'America/Sao_Paulo', 'Europe/Berlin']

test('parts are at most 40 and hold the whole of any time; those before have the same places', () => {
  const time = fc.integer({ min: 0, max: 100 * 365 * day })
  fc.assert(
    fc.property(time, time, fc.constantFrom(...zones), (from, length, zone) => {
      const to = from + length + 1
      const { step, bounds, ...shape } = trendShape({ from, to }, zone)
      const bars = bounds.length - 1
      expect(bars).toBeLessThanOrEqual(40)
      expect(bounds[0]).toBeLessThanOrEqual(from)
      expect(bounds[1]).toBeGreaterThan(from)
      expect(bounds[bars]).toBeGreaterThanOrEqual(to)
      expect(bounds[bars - 1]).toBeLessThan(to)
      for (const [index, end] of bounds.slice(1).entries()) {
        expect(Math.abs(end - (bounds[index] ?? 0) - step)).toBeLessThanOrEqual(
          step < day ? 0 : hour,
        )
      }
      if (step >= day) {
        expect(bounds.filter((at) => dayAt(at, zone) === dayAt(at - 1, zone))).toEqual([])
      }
      const before = shapeBefore({ step, bounds, ...shape }, from, zone)
      expect(before.bounds).toHaveLength(bars + 1)
      expect(before.bounds[bars]).toBe(bounds[0])
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
