import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import { longestTileTitle, mostTiles } from '../../../protocol/wall.ts'
import { readTiles, writeTiles } from './tiles-in-link.ts'

const text = fc
  .string({ minLength: 1, maxLength: 60, unit: 'binary' })
  .map((value) => value.trim())
  .filter((value) => value !== '')
const nasty = fc.stringMatching(/^[a~;!\\:]{1,12}$/)
const tile = fc.record({
  title: fc.oneof(text, nasty),
  query: fc.oneof(text, nasty),
  pinned: fc.boolean(),
  branch: fc.option(fc.oneof(text, nasty), { nil: undefined }),
})

test('what was written is read, whatever stands in titles and queries', () => {
  fc.assert(
    fc.property(fc.array(tile, { maxLength: 20 }), (tiles) => {
      expect(readTiles(writeTiles(tiles))).toEqual({ tiles, ignored: [] })
    }),
    { numRuns: runs(1000) },
  )
})

test('a title that is cut at a blank is read as it was written', () => {
  const [tile] = readTiles(`${'x'.repeat(longestTileTitle - 1)}\r and more`).tiles
  expect(tile?.title).toBe('x'.repeat(longestTileTitle - 1))
  expect(readTiles(writeTiles(tile === undefined ? [] : [tile])).tiles).toEqual([tile])
})

test('a title that is cut amid an emoji ends before it', () => {
  const [tile] = readTiles(`${'x'.repeat(longestTileTitle - 1)}🚀~tag:a`).tiles
  expect(tile?.title).toBe('x'.repeat(longestTileTitle - 1))
})

test('a link is readable', () => {
  expect(
    writeTiles([
      { title: 'Checkout', query: 'project:checkout', pinned: false },
      { title: 'tag:ci', query: 'tag:ci', pinned: true },
      { title: 'Web', query: 'project:web', pinned: false, branch: 'release/1' },
    ]),
  ).toBe('Checkout~project:checkout;!tag:ci;Web~project:web~release/1')
})

describe('what cannot be a tile is left out and named', () => {
  test('a link with 10,000 tiles', () => {
    const link = Array.from({ length: 10_000 }, (_, index) => `project:p${index}`).join(';')
    const { tiles, ignored } = readTiles(link)
    expect(tiles).toHaveLength(mostTiles)
    expect(ignored).toEqual([
      'The link has 10000 tiles. The first 300 are shown; 9700 are omitted.',
    ])
  })

  test('a tile without a query leaves the others alone', () => {
    const { tiles, ignored } = readTiles('Core~;Web~project:web')
    expect(tiles.map(({ title }) => title)).toEqual(['Web'])
    expect(ignored).toEqual(['Tile 1 in the link has no query. Use title~query.'])
  })

  test('many errors are reported in a few sentences', () => {
    expect(readTiles('a~;b~;c~;d~;e~').ignored).toHaveLength(4)
  })

  test('any text at all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (link) => {
        const { tiles } = readTiles(link)
        expect(tiles.length).toBeLessThanOrEqual(mostTiles)
        expect(readTiles(writeTiles(tiles)).tiles).toEqual(tiles)
      }),
    )
  })
})
