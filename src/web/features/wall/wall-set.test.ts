import fc from 'fast-check'
import { expect, test } from 'vitest'
import { noSpell, type TileStatus } from '../../../facts/tile-state.ts'
import { type PlacedTile, tilesOfPage, turningPages, wallSet } from './wall-set.ts'

function tile(title: string, status: TileStatus, more: Partial<PlacedTile> = {}): PlacedTile {
  return {
    key: title,
    title,
    query: title,
    pinned: false,
    mistake: undefined,
    status,
    spell: noSpell,
    newest: undefined,
    isLoading: false,
    ...more,
  }
}

const titles = (tiles: readonly PlacedTile[]) => tiles.map(({ title }) => title)
const plain = { order: 'failing-first', group: 'none' } as const

test('what needs somebody stands in front, and what is well may shrink', () => {
  const { prominent, quiet } = wallSet(
    [
      tile('docs', 'healthy'),
      tile('new', 'empty'),
      tile('web', 'flaky'),
      tile('core', 'failing'),
      tile('wrong', 'empty', { mistake: 'Unknown field projct.' }),
      tile('pinned', 'healthy', { pinned: true }),
    ],
    plain,
  )
  expect(titles(prominent)).toEqual(['pinned', 'core', 'web', 'wrong'])
  expect(titles(quiet)).toEqual(['docs', 'new'])
})

test('on a wall with stable places nothing moves and nothing shrinks', () => {
  const tiles = [tile('a', 'healthy'), tile('b', 'failing'), tile('c', 'empty')]
  const { prominent, quiet } = wallSet(tiles, { ...plain, order: 'stable' })
  expect(titles(prominent)).toEqual(['a', 'b', 'c'])
  expect(quiet).toEqual([])
})

test('pages without anything red take turns', () => {
  const tiles = Array.from({ length: 25 }, (_, index) => tile(`t${index}`, 'healthy'))
  expect(turningPages(tiles, 3)).toEqual([0, 1, 2])
})

test('a page with something red stays', () => {
  const tiles = Array.from({ length: 25 }, (_, index) =>
    tile(`t${index}`, index === 12 ? 'failing' : 'healthy'),
  )
  expect(turningPages(tiles, 3)).toEqual([1])
})

test('tiles are dealt in order over the pages, and no page has two more than another', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 300 }),
      fc.integer({ min: 1, max: 40 }),
      (count, pages) => {
        const tiles = Array.from({ length: count }, (_, index) => index)
        const dealt = Array.from({ length: pages }, (_, page) => tilesOfPage(tiles, page, pages))
        expect(dealt.flat()).toEqual(tiles)
        const sizes = dealt.map(({ length }) => length)
        expect(Math.max(...sizes)).toBe(Math.ceil(count / pages))
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
      },
    ),
  )
})
