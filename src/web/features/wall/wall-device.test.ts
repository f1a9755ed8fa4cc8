import { expect, test } from 'vitest'
import { driftAmplitude, driftAt, isDimmed } from './wall-device.ts'

test('the picture moves every few minutes, by a few pixels, and never far', () => {
  const amplitude = driftAmplitude(3840)
  const places = Array.from({ length: 1440 }, (_, minute) => driftAt(minute, amplitude))
  for (const [index, { x, y }] of places.entries()) {
    expect(Math.max(Math.abs(x), Math.abs(y))).toBeLessThanOrEqual(12)
    const before = places[index - 1] ?? { x, y }
    expect(Math.hypot(x - before.x, y - before.y)).toBeLessThanOrEqual(4)
  }
  expect(new Set(places.map(({ x, y }) => `${x},${y}`)).size).toBeGreaterThan(100)
})

test.each([
  [23, 22, 6, true],
  [5, 22, 6, true],
  [6, 22, 6, false],
  [12, 22, 6, false],
  [2, 1, 5, true],
  [5, 1, 5, false],
  [3, 0, 0, false],
])("at %i o'clock, dimmed from %i to %i: %s", (hour, from, to, dimmed) => {
  expect(isDimmed(hour, { from, to })).toBe(dimmed)
})
