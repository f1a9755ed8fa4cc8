import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import { type Grid, type LayoutRequest, layOutWall, placesOf, smallestText } from './wall-layout.ts'

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

/** What is left for tiles on screens with a bar above them. */
const screens = {
  '1920x1080': { width: 1860, height: 940 },
  '3840x2160': { width: 3760, height: 1900 },
  '1280x720': { width: 1240, height: 610 },
  '390x844': { width: 370, height: 640 },
}

describe.each(Object.entries(screens))('on %s', (name, size) => {
  const [width = 0, height = 0] = name.split('x').map(Number)
  const smallest = smallestText(width, height)
  test.each([1, 10, 15, 60, 300])(
    '%i tiles stand without a hole, and reach every edge',
    (count) => {
      for (const failing of [0, 1, Math.ceil(count / 4), count]) {
        const asked = {
          ...size,
          smallest,
          quietTiles: 'auto',
          prominent: failing,
          quiet: count - failing,
        } as const
        const layout = layOutWall(asked)
        const { gap, pages, isFolded } = layout
        const counts = [
          [layout.prominent, pages > 1 ? Math.ceil((isFolded ? failing : count) / pages) : failing],
          [layout.quiet, count - failing],
        ] as const
        for (const [grid, tiles] of counts) {
          if (grid === undefined) continue
          const places = placesOf(grid, tiles, { width: size.width, gap })
          expect(places).toHaveLength(tiles)
          const rows = [...new Set(places.map(({ y }) => y))].map((top) =>
            places.filter(({ y }) => y === top),
          )
          expect(rows.length).toBe(grid.rows)
          const lengths = rows.map((row) => row.length)
          // The larger ones first: what matters most stands there.
          expect(lengths).toEqual(lengths.toSorted((a, b) => a - b))
          expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1)
          for (const row of rows) {
            expect(row[0]?.x).toBe(0)
            row.forEach((place, index) => {
              const next = row[index + 1]
              expect(place.x + place.width).toBe(next === undefined ? size.width : next.x - gap)
            })
          }
        }
      }
    },
  )
})

test.each([
  ['ten', 10, 5, 2],
  ['fifteen', 15, 5, 3],
  ['six', 6, 3, 2],
  ['twelve', 12, 4, 3],
])('%s tiles stand in rows of one length', (_, prominent, columns, rows) => {
  const grid = layOutWall({ ...hd, prominent, quiet: 0 }).prominent
  expect(grid).toMatchObject({ columns, rows })
})

test('seven stand in two rows, of three wider ones and of four', () => {
  const { prominent, gap } = layOutWall({ ...hd, prominent: 7, quiet: 0 })
  const places = prominent && placesOf(prominent, 7, { width: hd.width, gap })
  expect(places?.filter(({ y }) => y === 0)).toHaveLength(3)
})

test('a screen of four times the pixels shows more of each tile, not only larger', () => {
  const onHd = layOutWall({
    ...screens['1920x1080'],
    ...auto(15),
    smallest: smallestText(1920, 1080),
  })
  const on4k = layOutWall({
    ...screens['3840x2160'],
    ...auto(15),
    smallest: smallestText(3840, 2160),
  })
  expect([onHd.prominent?.detail, on4k.prominent?.detail]).toEqual(['full', 'rich'])
  expect(on4k.text).toBeGreaterThan(onHd.text)
  const sixty = [
    layOutWall({ ...screens['1920x1080'], ...auto(60), smallest: smallestText(1920, 1080) }),
    layOutWall({ ...screens['3840x2160'], ...auto(60), smallest: smallestText(3840, 2160) }),
  ]
  expect(sixty.map(({ prominent }) => prominent?.detail)).toEqual(['short', 'full'])
})

test('a screen that stands upright has text as large as one that lies', () => {
  expect(smallestText(1080, 1920)).toBe(smallestText(1920, 1080))
  expect(smallestText(390, 844)).toBe(12)
})

function auto(prominent: number) {
  return { prominent, quiet: 0, quietTiles: 'auto' } as const
}

const hd = { width: 1860, height: 940, quietTiles: 'auto', smallest: 17 } as const

test.each([
  ['one failing tile has all there is', { ...hd, prominent: 1, quiet: 0 }, 'rich', undefined],
  ['twelve, all shown in full', { ...hd, prominent: 3, quiet: 9 }, 'rich', 'full'],
  ['sixty: the healthy have a line', { ...hd, prominent: 4, quiet: 56 }, 'rich', 'line'],
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
