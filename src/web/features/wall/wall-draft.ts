import * as z from 'zod/mini'
import {
  longestTileBranch,
  longestTileQuery,
  longestTileTitle,
  longestWallTitle,
  mostTiles,
  WallContent,
  WallTile,
} from '../../../protocol/wall.ts'
import { check } from '../../../search/check.ts'
import { parse } from '../../../search/parse.ts'

const DraftTile = z.extend(WallTile, {
  /** What tells it apart from others while they are moved: two may have one title and query. */
  id: z.string(),
})
export type DraftTile = z.infer<typeof DraftTile>

/** A wall as somebody is editing it: titles and queries may be empty or wrong. */
export const WallDraft = z.object({
  title: z.string(),
  order: WallContent.shape.order,
  group: WallContent.shape.group,
  tiles: z.readonly(z.array(DraftTile)),
  /** The tile that is edited. */
  selected: z.optional(z.string()),
  /** The number of the next tile's id. */
  next: z.int(),
})
export type WallDraft = z.infer<typeof WallDraft>

/** A draft of what a wall has. */
export function draftOf({ title = '', tiles, order, group }: WallContent): WallDraft {
  const withIds = tiles.map((tile, index) => ({ ...tile, id: `tile-${index}` }))
  return { title, order, group, tiles: withIds, selected: withIds[0]?.id, next: tiles.length }
}

/** What a draft comes to, as it is saved; empty tiles are left out. */
export function contentOf({ title, tiles, order, group }: WallDraft): WallContent {
  return {
    ...(title.trim() === '' ? {} : { title: title.trim() }),
    tiles: tiles.filter(isFilled).map(({ id: _, title: name, query, branch, ...tile }) => ({
      ...tile,
      title: name.trim(),
      query: query.trim(),
      ...(branch === undefined || branch.trim() === '' ? {} : { branch: branch.trim() }),
    })),
    order,
    group,
  }
}

function isFilled({ title, query }: DraftTile): boolean {
  return title.trim() !== '' || query.trim() !== ''
}

/** A new tile behind the one that is edited, which is edited from now on; none where there is no more room. */
export function withTile(draft: WallDraft, tile: WallTile): WallDraft {
  if (draft.tiles.length >= mostTiles) return draft
  const id = `tile-${draft.next}`
  const at = placeOf(draft, draft.selected) + 1
  const tiles = draft.tiles.toSpliced(at === 0 ? draft.tiles.length : at, 0, { ...tile, id })
  return { ...draft, tiles, selected: id, next: draft.next + 1 }
}

/** The same without a tile; the one that takes its place is edited. */
export function withoutTile(draft: WallDraft, id: string): WallDraft {
  const at = placeOf(draft, id)
  if (at === -1) return draft
  const tiles = draft.tiles.toSpliced(at, 1)
  return { ...draft, tiles, selected: (tiles[at] ?? tiles.at(-1))?.id }
}

/** The same with a tile at another place, from 0; a place that there is not changes nothing. */
export function withTileAt(draft: WallDraft, id: string, to: number): WallDraft {
  const from = placeOf(draft, id)
  const tile = draft.tiles[from]
  if (tile === undefined || to < 0 || to >= draft.tiles.length || to === from) return draft
  return { ...draft, tiles: draft.tiles.toSpliced(from, 1).toSpliced(to, 0, tile) }
}

/** The same with parts of a tile changed. */
export function withTilePart(draft: WallDraft, id: string, part: Partial<WallTile>): WallDraft {
  return {
    ...draft,
    tiles: draft.tiles.map((tile) => (tile.id === id ? { ...tile, ...part } : tile)),
  }
}

/** Where a tile stands, from 0; -1 where it does not. */
export function placeOf({ tiles }: WallDraft, id: string | undefined): number {
  return tiles.findIndex((tile) => tile.id === id)
}

/** What keeps a draft from being saved, a sentence each; of tiles by their ids. */
export interface DraftMistakes {
  readonly title: string | undefined
  readonly tiles: ReadonlyMap<string, string>
}

/** Looks at a draft as the server will. */
export function draftMistakes({ title, tiles }: WallDraft): DraftMistakes {
  const wrong = tiles.flatMap((tile): [string, string][] => {
    const mistake = tileMistake(tile)
    return mistake === undefined ? [] : [[tile.id, mistake]]
  })
  return { title: tooLong('title', title, longestWallTitle), tiles: new Map(wrong) }
}

function tileMistake(tile: DraftTile): string | undefined {
  const { title, query, branch = '' } = tile
  if (!isFilled(tile)) return undefined
  if (title.trim() === '') return 'Enter a title.'
  if (query.trim() === '') return 'Enter a query.'
  const error = check(parse(query.trim())).find(({ severity }) => severity === 'error')
  return (
    tooLong('title', title, longestTileTitle) ??
    tooLong('query', query, longestTileQuery) ??
    tooLong('branch', branch, longestTileBranch) ??
    (error && `${error.message} (character ${error.from + 1})`)
  )
}

function tooLong(what: string, text: string, most: number): string | undefined {
  const { length } = text.trim()
  return length > most ? `The ${what} has ${length} characters; at most ${most} fit.` : undefined
}

/** A draft with what it was before, and what was undone. */
export interface Edits {
  readonly now: WallDraft
  readonly past: readonly WallDraft[]
  readonly future: readonly WallDraft[]
  /** What was edited last: going on with it is no step of its own. */
  readonly step?: string | undefined
}

/** What is done to a draft. */
export type Edit =
  | { readonly is: 'change'; readonly to: WallDraft; readonly step?: string }
  | { readonly is: 'undo' }
  | { readonly is: 'redo' }
  /** It was saved, or begins anew: there is nothing to undo. */
  | { readonly is: 'begin'; readonly from: WallDraft }

const mostSteps = 200

/** The reducer of an editor; to edit another tile is no step. */
export function edited(edits: Edits, edit: Edit): Edits {
  const { now, past, future, step } = edits
  switch (edit.is) {
    case 'begin':
      return { now: edit.from, past: [], future: [] }
    case 'change': {
      if (edit.to === now) return edits
      const isSame = sameContent(edit.to, now)
      const goesOn = isSame || (edit.step !== undefined && edit.step === step)
      return {
        now: edit.to,
        past: goesOn ? past : [...past, now].slice(-mostSteps),
        future: isSame ? future : [],
        step: isSame ? undefined : edit.step,
      }
    }
    case 'undo': {
      const before = past.at(-1)
      if (before === undefined) return edits
      return { now: before, past: past.slice(0, -1), future: [now, ...future] }
    }
    case 'redo': {
      const [after, ...more] = future
      if (after === undefined) return edits
      return { now: after, past: [...past, now], future: more }
    }
  }
}

function sameContent(one: WallDraft, other: WallDraft): boolean {
  return (
    one.tiles === other.tiles &&
    one.title === other.title &&
    one.order === other.order &&
    one.group === other.group
  )
}
