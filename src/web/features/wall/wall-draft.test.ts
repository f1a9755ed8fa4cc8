import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mostTiles, type WallContent, type WallTile } from '../../../protocol/wall.ts'
import { runs } from '../../../property-runs.test-support.ts'
import {
  contentOf,
  draftMistakes,
  draftOf,
  type Edit,
  edited,
  type Edits,
  type WallDraft,
  withoutTile,
  withTile,
  withTileAt,
  withTilePart,
} from './wall-draft.ts'

const tile = (title: string): WallTile => ({ title, query: `project:${title}`, pinned: false })
const wallOf = (...titles: string[]): WallContent => ({
  tiles: titles.map(tile),
  order: 'failing-first',
  group: 'none',
})
const titles = ({ tiles }: Pick<WallDraft, 'tiles'>) => tiles.map(({ title }) => title)
const begun = (now: WallDraft): Edits => ({ now, past: [], future: [] })

test('a draft comes to the wall that it was made of', () => {
  const wall: WallContent = {
    title: 'Release',
    tiles: [{ ...tile('core'), branch: 'next', pinned: true }, tile('web')],
    order: 'stable',
    group: 'tool',
  }
  expect(contentOf(draftOf(wall))).toEqual(wall)
})

test('tiles are added behind the one that is edited, moved and removed', () => {
  let draft = draftOf(wallOf('a', 'b', 'c'))
  draft = withTile(draft, tile('new'))
  expect([titles(draft), draft.selected]).toEqual([['a', 'new', 'b', 'c'], 'tile-3'])
  draft = withTileAt(draft, 'tile-3', 3)
  expect(titles(draft)).toEqual(['a', 'b', 'c', 'new'])
  expect(withTileAt(draft, 'tile-3', 4)).toBe(draft)
  draft = withoutTile(draft, 'tile-3')
  expect([titles(draft), draft.selected]).toEqual([['a', 'b', 'c'], 'tile-2'])
  expect(titles(withTile(draftOf(wallOf()), tile('first')))).toEqual(['first'])
})

test('a wall that is full takes no more tiles', () => {
  const full = draftOf(wallOf(...Array.from({ length: mostTiles }, (_, index) => `t${index}`)))
  expect(withTile(full, tile('more'))).toBe(full)
})

describe('what keeps a draft from being saved', () => {
  test.each([
    [{ title: '' }, 'Enter a title.'],
    [{ query: ' ' }, 'Enter a query.'],
    [{ title: 'x'.repeat(81) }, 'The title has 81 characters; at most 80 fit.'],
    [{ query: `tag:${'x'.repeat(2000)}` }, 'The query has 2004 characters; at most 2000 fit.'],
    [{ branch: 'x'.repeat(251) }, 'The branch has 251 characters; at most 250 fit.'],
  ])('%j: %s', (part, sentence) => {
    const draft = withTilePart(draftOf(wallOf('a')), 'tile-0', part)
    expect(draftMistakes(draft).tiles.get('tile-0')).toBe(sentence)
  })

  test('a query with an error, by its place', () => {
    const draft = withTilePart(draftOf(wallOf('a')), 'tile-0', { query: 'tag:ci and projct:a' })
    expect(draftMistakes(draft).tiles.get('tile-0')).toMatch(/projct.*\(character 12\)$/)
  })

  test('not a tile without anything: it is left out', () => {
    const draft = withTile(draftOf(wallOf('a')), { title: '', query: '', pinned: false })
    expect(draftMistakes(draft).tiles.size).toBe(0)
    expect(contentOf(draft).tiles).toEqual([tile('a')])
  })
})

test('typing on is one step, and what comes after it another', () => {
  const start = draftOf(wallOf('a', 'b'))
  let edits = begun(start)
  const type = (text: string, id = 'tile-0') => {
    const to = withTilePart(edits.now, id, { title: text })
    edits = edited(edits, { is: 'change', to, step: `title ${id}` })
  }
  type('c')
  type('co')
  type('core')
  type('web', 'tile-1')
  edits = edited(edits, { is: 'undo' })
  expect(titles(edits.now)).toEqual(['core', 'b'])
  edits = edited(edits, { is: 'undo' })
  expect(edits.now).toBe(start)
  expect(edited(edits, { is: 'undo' })).toBe(edits)
  edits = edited(edited(edits, { is: 'redo' }), { is: 'redo' })
  expect(titles(edits.now)).toEqual(['core', 'web'])
})

test('to look at another tile is no step, and keeps what was undone', () => {
  let edits = begun(draftOf(wallOf('a', 'b')))
  edits = edited(edits, { is: 'change', to: withoutTile(edits.now, 'tile-1') })
  edits = edited(edits, { is: 'undo' })
  edits = edited(edits, { is: 'change', to: { ...edits.now, selected: 'tile-1' } })
  expect(edits.past).toEqual([])
  expect(titles(edited(edits, { is: 'redo' }).now)).toEqual(['a'])
})

const change = fc.oneof(
  fc.record({ is: fc.constant('add' as const), title: fc.string({ minLength: 1, maxLength: 3 }) }),
  fc.record({ is: fc.constant('remove' as const), at: fc.nat(5) }),
  fc.record({ is: fc.constant('move' as const), at: fc.nat(5), to: fc.nat(5) }),
)

test('whatever was done, undoing all of it leads back, and redoing it there again', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      const start = draftOf(wallOf('a', 'b', 'c'))
      let edits = begun(start)
      for (const one of changes) {
        const id = one.is === 'add' ? '' : (edits.now.tiles[one.at]?.id ?? '')
        const to =
          one.is === 'add'
            ? withTile(edits.now, tile(one.title))
            : one.is === 'remove'
              ? withoutTile(edits.now, id)
              : withTileAt(edits.now, id, one.to)
        edits = edited(edits, { is: 'change', to })
        expect(new Set(edits.now.tiles.map((each) => each.id)).size).toBe(edits.now.tiles.length)
      }
      const end = contentOf(edits.now)
      const all = (is: Extract<Edit['is'], 'undo' | 'redo'>) => {
        for (let count = 0; count < 20; count++) edits = edited(edits, { is })
      }
      all('undo')
      expect(contentOf(edits.now)).toEqual(contentOf(start))
      all('redo')
      expect(contentOf(edits.now)).toEqual(end)
    }),
    { numRuns: runs(200) },
  )
})
