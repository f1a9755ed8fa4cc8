import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dragged, panned, zoomed } from './zoom.ts'

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
