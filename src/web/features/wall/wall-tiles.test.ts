import { expect, test } from 'vitest'
import { mostTiles } from '../../../protocol/wall.ts'
import { compiledTiles, tilesTogether } from './wall-tiles.ts'

const wallOf = (name: string, count: number) =>
  compiledTiles(
    Array.from({ length: count }, (_, index) => ({
      title: name,
      query: `tag:${name}-${index}`,
      pinned: false,
    })),
    'UTC',
  )
const namesOf = (walls: Parameters<typeof tilesTogether>[0], shown: number) => {
  const { tiles, unwatched } = tilesTogether(walls, shown)
  const counts: Record<string, number> = {}
  for (const { title } of tiles) counts[title] = (counts[title] ?? 0) + 1
  return { ...counts, unwatched }
}

test('all tiles of all walls are watched, whichever is shown, and common ones once', () => {
  const [a, b] = [wallOf('a', 100), wallOf('b', 100)]
  expect(namesOf([a, b, a], 1)).toEqual({ a: 100, b: 100, unwatched: 0 })
  expect(tilesTogether([a, b], 1).tiles).toEqual(tilesTogether([a, b], 0).tiles)
})

test('where there is no room for all, those that are seen go first, and the others are counted', () => {
  const walls = [wallOf('a', mostTiles - 100), wallOf('b', mostTiles - 100)]
  expect(namesOf(walls, 1)).toEqual({ a: 100, b: mostTiles - 100, unwatched: mostTiles - 200 })
})

test('half of the room is kept for projects that arrive, unless the wall that is seen needs it', () => {
  const walls = [wallOf('a', mostTiles), []]
  expect(namesOf(walls, 1)).toEqual({ a: mostTiles / 2, unwatched: mostTiles / 2 })
  expect(namesOf(walls, 0)).toEqual({ a: mostTiles, unwatched: 0 })
})

test('a tile keeps its key wherever it stands, and two with the same query have one each', () => {
  const tile = (query: string) => ({ title: query, query, pinned: false })
  const keys = (...queries: string[]) =>
    compiledTiles(queries.map(tile), 'UTC').map(({ key }) => key)
  const [a, b, again] = keys('tag:a', 'tag:b', 'tag:a')
  expect(keys('tag:b', 'tag:a', 'tag:a')).toEqual([b, a, again])
  expect(new Set([a, b, again]).size).toBe(3)
})
