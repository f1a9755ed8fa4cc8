import { describe, expect, test } from 'vitest'
import type { WallContent, WallRevision, WallTile } from '../../../protocol/wall.ts'
import { revisionText, wallChanges } from './wall-revisions.tsx'

const tile = (title: string, more: Partial<WallTile> = {}): WallTile => ({
  title,
  query: `project:${title}`,
  pinned: false,
  ...more,
})
const wall = (tiles: WallTile[], more: Partial<WallContent> = {}): WallContent => ({
  tiles,
  order: 'failing-first',
  group: 'none',
  ...more,
})
const [core, web, shop] = [tile('core'), tile('web'), tile('shop')]

describe('what differs between two walls', () => {
  test.each<[string, WallContent, string[]]>([
    ['nothing', wall([core, web]), []],
    ['a tile more', wall([core, shop, web]), ['Added shop']],
    ['a tile fewer', wall([web]), ['Removed core']],
    ['another tile instead', wall([core, shop]), ['Added shop', 'Removed web']],
    ['another order', wall([web, core]), ['Order of the tiles changed']],
    ['a name', wall([core, { ...web, title: 'Shop front' }]), ['Renamed web to Shop front']],
    ['a query', wall([core, { ...web, query: 'tag:web' }]), ['web: query is now tag:web']],
    ['a branch', wall([core, { ...web, branch: '*' }]), ['web: all branches']],
    ['a pin', wall([core, { ...web, pinned: true }]), ['web: pinned']],
    ['the title', wall([core, web], { title: 'Release' }), ['Title: Release']],
    [
      'how they stand',
      wall([core, web], { order: 'stable', group: 'tool' }),
      ['Fixed places', 'Grouped by build tool'],
    ],
    [
      'many tiles',
      wall([core, web, ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((title) => tile(title))]),
      ['Added a, b, c, d, e and 2 more'],
    ],
  ])('%s', (_what, after, sentences) => {
    expect(wallChanges(wall([core, web]), after)).toEqual(sentences)
  })

  test('of two tiles that are alike only one is another', () => {
    expect(wallChanges(wall([core, core]), wall([core]))).toEqual(['Removed core'])
    expect(wallChanges(wall([core, core]), wall([core, { ...core, branch: 'next' }]))).toEqual([
      'core: branch next',
    ])
  })
})

describe('what a revision did', () => {
  const revision = (number: number, more: Partial<WallRevision> = {}): WallRevision => ({
    ...wall([core]),
    name: 'release',
    number,
    by: 'ann',
    at: 0,
    note: '',
    deleted: false,
    restored: null,
    ...more,
  })
  test.each<[WallRevision, WallRevision | undefined, string[]]>([
    [revision(1), undefined, ['Created with 1 tile']],
    [revision(2), revision(1), ['No changes']],
    [revision(2, { tiles: [core, web] }), revision(1), ['Added web']],
    [revision(2, { deleted: true }), revision(1), ['Deleted']],
    [revision(3, { restored: 1 }), revision(2, { deleted: true }), ['Restored revision 1']],
    [
      revision(3, { restored: 1 }),
      revision(2, { tiles: [] }),
      ['Restored revision 1', 'Added core'],
    ],
    [revision(3), revision(2, { deleted: true }), ['Created with 1 tile']],
    [revision(9), undefined, []],
  ])('%#', (after, before, sentences) => {
    expect(revisionText(after, before)).toEqual(sentences)
  })
})
