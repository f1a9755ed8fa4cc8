import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dragged, panned, timeTicks, zoomed } from './zoom.ts'

describe('looking closer', () => {
  test('halves what is looked at around its middle, and back to the whole', () => {
    expect(zoomed(undefined, 1000, 0.5)).toEqual({ from: 250, to: 750 })
    expect(zoomed({ from: 250, to: 750 }, 1000, 0.5)).toEqual({ from: 375, to: 625 })
    expect(zoomed({ from: 250, to: 750 }, 1000, 2)).toBeUndefined()
  })

  test('moves to the side as far as the build goes', () => {
    expect(panned({ from: 250, to: 750 }, 1000, 0.25)).toEqual({ from: 375, to: 875 })
    expect(panned({ from: 250, to: 750 }, 1000, 5)).toEqual({ from: 500, to: 1000 })
    expect(panned({ from: 250, to: 750 }, 1000, -5)).toEqual({ from: 0, to: 500 })
    expect(panned(undefined, 1000, 1)).toBeUndefined()
  })

  test('takes what was dragged over, in either direction; a click is nothing', () => {
    expect(dragged(undefined, 1000, 0.2, 0.4)).toEqual({ from: 200, to: 400 })
    expect(dragged({ from: 200, to: 400 }, 1000, 1, 0.5)).toEqual({ from: 300, to: 400 })
    expect(dragged(undefined, 1000, 0.2, 0.202)).toBeUndefined()
  })

  test('never leaves the build and never comes to nothing', () => {
    const part = fc.double({ min: 0, max: 1, noNaN: true })
    const move = fc.tuple(fc.constantFrom('zoom', 'pan', 'drag'), part, part)
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e8 }),
        fc.array(move, { maxLength: 20 }),
        (length, moves) => {
          let zoom: ReturnType<typeof zoomed>
          for (const [kind, one, other] of moves) {
            if (kind === 'zoom') zoom = zoomed(zoom, length, one * 3)
            else if (kind === 'pan') zoom = panned(zoom, length, one * 4 - 2)
            else zoom = dragged(zoom, length, one, other) ?? zoom
            if (zoom === undefined) continue
            expect(zoom.from).toBeGreaterThanOrEqual(0)
            expect(zoom.to).toBeLessThanOrEqual(length)
            expect(zoom.from).toBeLessThan(zoom.to)
          }
        },
      ),
    )
  })
})

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
