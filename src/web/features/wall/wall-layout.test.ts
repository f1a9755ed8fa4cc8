import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import { type Grid, type LayoutRequest, layOutWall, smallestText } from './wall-layout.ts'

/** The tiles have all of a screen, or little more than half of it. */
const request = fc
  .record({
    width: fc.integer({ min: 320, max: 3840 }),
    height: fc.integer({ min: 300, max: 2160 }),
    part: fc.double({ min: 0.55, max: 1, noNaN: true }),
    prominent: fc.integer({ min: 0, max: 300 }),
    quiet: fc.integer({ min: 0, max: 300 }),
    quietTiles: fc.constantFrom('auto', 'show', 'fold'),
  })
  .map(({ part, ...asked }) => ({
    ...asked,
    smallest: smallestText(asked.width, asked.height / part),
  })) satisfies fc.Arbitrary<LayoutRequest>

function widthOf(grid: Grid, gap: number): number {
  return grid.columns * grid.tileWidth + (grid.columns - 1) * gap
}
function heightOf(grid: Grid | undefined, gap: number): number {
  return grid === undefined ? 0 : grid.rows * grid.tileHeight + (grid.rows - 1) * gap
}

/** How many tiles of one line have room at this text, beside the mark of pages and the line of the folded. */
function linesAt({ width, height }: LayoutRequest, text: number, isFolded: boolean): number {
  const gap = Math.round(text * 0.35)
  const room = height - 1.7 * text - (isFolded ? 2.2 * text + gap : 0)
  const columns = Math.floor((width + gap) / (14 * text + gap))
  return columns * Math.floor((room + gap) / (Math.floor(1.9 * text) + gap))
}

describe('whatever the screen and however many tiles', () => {
  test('nothing is wider or higher than the screen', () => {
    fc.assert(
      fc.property(request, (asked) => {
        const { prominent, quiet, gap, text, isFolded } = layOutWall(asked)
        for (const grid of [prominent, quiet]) {
          if (grid !== undefined) expect(widthOf(grid, gap)).toBeLessThanOrEqual(asked.width)
        }
        const fold = isFolded ? 2.2 * text : 0
        const parts = [heightOf(prominent, gap), heightOf(quiet, gap), fold].filter((h) => h > 0)
        const whole = parts.reduce((sum, part) => sum + part, 0) + (parts.length > 1 ? gap : 0)
        expect(whole).toBeLessThanOrEqual(asked.height)
      }),
      { numRuns: runs(3000) },
    )
  })

  test('every tile has exactly one place, unless it is counted in the line of the folded', () => {
    fc.assert(
      fc.property(request, (asked) => {
        const { prominent, quiet, isFolded, pages } = layOutWall(asked)
        const capacity = (grid: Grid | undefined): number =>
          grid === undefined ? 0 : grid.columns * grid.rows
        const wanted = asked.prominent + (isFolded ? 0 : asked.quiet)
        const places = (capacity(prominent) + capacity(quiet)) * pages
        expect(places).toBeGreaterThanOrEqual(wanted)
        if (pages === 1 && quiet !== undefined) {
          expect(capacity(quiet)).toBeGreaterThanOrEqual(asked.quiet)
          expect(capacity(prominent)).toBeGreaterThanOrEqual(asked.prominent)
        }
        // No page more than is needed.
        expect(capacity(prominent) * (pages - 1)).toBeLessThanOrEqual(wanted)
      }),
      { numRuns: runs(3000) },
    )
  })

  test('available boards: as few pages as the least readable text allows, and no larger text would do', () => {
    let paged = 0
    fc.assert(
      fc.property(request, (asked) => {
        const layout = layOutWall(asked)
        const { pages, text, isFolded, prominent } = layout
        if (pages === 1) return
        paged += 1
        expect(prominent?.detail).toBe('line')
        const wanted = asked.prominent + (isFolded ? 0 : asked.quiet)
        expect(pages).toBe(Math.ceil(wanted / linesAt(asked, asked.smallest, isFolded)))
        const onEach = Math.ceil(wanted / pages)
        expect(linesAt(asked, text, isFolded)).toBeGreaterThanOrEqual(onEach)
        expect(linesAt(asked, text + 1, isFolded)).toBeLessThan(onEach)
        const shown = (prominent?.rows ?? 0) * (prominent?.columns ?? 0)
        // No row is left empty, and none has a place to spare that another could have taken.
        expect(shown - onEach).toBeLessThan(prominent?.rows ?? 0)
        const beside = (isFolded ? 2.2 * text + layout.gap : 0) + 1.7 * text
        expect(heightOf(prominent, layout.gap) + beside).toBeLessThanOrEqual(asked.height)
      }),
      { numRuns: runs(3000) },
    )
    expect(paged).toBeGreaterThan(runs(300))
  })

  test('the text is readable', () => {
    fc.assert(
      fc.property(request, (asked) => {
        expect(layOutWall(asked).text).toBeGreaterThanOrEqual(asked.smallest)
      }),
    )
  })

  test('what is set to be shown is shown, and what is set to be folded is folded', () => {
    fc.assert(
      fc.property(request, (asked) => {
        const { isFolded } = layOutWall(asked)
        if (asked.quietTiles === 'show') expect(isFolded).toBe(false)
        if (asked.quietTiles === 'fold' && asked.quiet > 0 && asked.prominent > 0)
          expect(isFolded).toBe(true)
      }),
    )
  })
})

const hd = { width: 1860, height: 940, quietTiles: 'auto', smallest: 17 } as const

test.each([
  ['one failing tile is told in full', { ...hd, prominent: 1, quiet: 0 }, 'full', undefined],
  ['twelve, all told in full', { ...hd, prominent: 3, quiet: 9 }, 'full', 'full'],
  ['sixty: the healthy are told in a line', { ...hd, prominent: 4, quiet: 56 }, 'full', 'line'],
])('%s', (_, asked, prominent, quiet) => {
  const layout = layOutWall(asked)
  expect(layout.prominent?.detail).toBe(prominent)
  expect(layout.quiet?.detail).toBe(quiet)
  expect(layout.pages).toBe(1)
})

test('300 tiles stand on one page of a large screen, and on several of a phone', () => {
  expect(layOutWall({ ...hd, prominent: 10, quiet: 290 }).pages).toBe(1)
  expect(
    layOutWall({ ...hd, width: 370, height: 760, prominent: 300, quiet: 0, smallest: 12 }).pages,
  ).toBeGreaterThan(1)
})

test('of 250 tiles for which one page is too small, each page has half, and larger text', () => {
  const crowded = { ...hd, height: 1020, prominent: 250, quiet: 0 }
  const { pages, text, prominent } = layOutWall(crowded)
  expect(pages).toBe(2)
  expect(prominent).toMatchObject({ columns: 6, rows: 21 })
  expect(text).toBe(21)
})

test('fewer tiles never have smaller text at the same detail', () => {
  const texts = [1, 2, 4, 8, 16].map((prominent) => layOutWall({ ...hd, prominent, quiet: 0 }).text)
  expect(texts).toEqual([...texts].sort((a, b) => b - a))
})

test('what stands above the tiles takes room from them, and never makes their text smaller', () => {
  const smallest = smallestText(1880, 1040)
  expect(smallest).toBe(17)
  const { text, pages } = layOutWall({ ...hd, height: 740, smallest, prominent: 0, quiet: 300 })
  expect(text).toBeGreaterThanOrEqual(17)
  expect(pages).toBeGreaterThan(1)
})
