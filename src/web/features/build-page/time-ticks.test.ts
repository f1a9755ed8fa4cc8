import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { timeTicks } from './time-ticks.ts'

describe('marks of an axis of time', () => {
  test.each([
    [0, 100, 5, ['0 s', '20 ms', '40 ms', '60 ms', '80 ms']],
    [0, 3132, 4, ['0 s', '1 s', '2 s', '3 s']],
    [900, 1100, 4, ['900 ms', '950 ms', '1.00 s', '1.05 s']],
    [0, 200_000, 5, ['0 s', '1 min', '2 min', '3 min']],
    [0, 90_000, 3, ['0 s', '30 s', '1 min']],
    [0, 4 * 3_600_000, 4, ['0 s', '1 h', '2 h', '3 h']],
  ])('from %d to %d ms, at most %d', (from, to, most, labels) => {
    expect(timeTicks(from, to, most).map(({ label }) => label)).toEqual(labels)
  })

  test('are few, ascending and within the stretch', () => {
    fc.assert(
      fc.property(
        fc.nat(1e9),
        fc.integer({ min: 1, max: 1e9 }),
        fc.integer({ min: 1, max: 12 }),
        (from, length, most) => {
          const ticks = timeTicks(from, from + length, most)
          expect(ticks.length).toBeLessThanOrEqual(most)
          for (const [index, { at }] of ticks.entries()) {
            expect(at).toBeGreaterThanOrEqual(from)
            expect(at).toBeLessThanOrEqual(from + length)
            expect(at).toBeGreaterThan(ticks[index - 1]?.at ?? -1)
          }
        },
      ),
    )
  })
})
