import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'

/**
 * Where walls are edited for everybody: `GET` for all of them, and below it `/<name>` (`GET` for its revisions, `POST` to
 * save), `/<name>/delete` and `/<name>/restore` (docs/wall.md#edited-for-everybody).
 */
export const wallsPath = '/history/walls'

/** How many tiles a wall has at most, and how long what is typed may be, characters. */
export const mostTiles = 300
export const longestTileTitle = 80
export const longestTileQuery = 2000
export const longestTileBranch = 250
export const longestWallTitle = 100
export const longestWallNote = 500

/** How many walls are saved at most, and how many revisions of one are listed at once. */
export const mostWalls = 200
export const mostWallRevisions = 50

/** What the last segment of a wall's address may be. */
export const wallNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const WallTile = z.looseObject({
  title: z.string(),
  /** In docs/services.md#advanced-search-syntax. */
  query: z.string(),
  /** Stays in front, whatever its state. */
  pinned: z._default(z.boolean(), false),
  /** The branch that it stands for, `*` for all; left out, the default branch of each project. */
  branch: z.optional(z.string()),
})
export type WallTile = z.infer<typeof WallTile>

/** What somebody decides of a wall. */
export const WallContent = z.looseObject({
  title: z.optional(z.string()),
  /** None: one tile for each project that arrives. */
  tiles: z._default(z.array(WallTile), []),
  /** `failing-first`: red, then flaky, then healthy; `stable`: as they are written. */
  order: z._default(z.enum(['failing-first', 'stable']), 'failing-first'),
  group: z._default(z.enum(['none', 'project', 'tool']), 'none'),
})
export type WallContent = z.infer<typeof WallContent>

/** A wall that everybody who uses this proxy is offered. */
export const Wall = z.extend(WallContent, {
  /** The last segment of its address: `/wall/<name>`. */
  name: z.string().check(z.minLength(1)),
})
export type Wall = z.infer<typeof Wall>

/** A wall with where it comes from: the configuration file, what somebody saved, or the demo. */
export const OfferedWall = z.extend(Wall, {
  source: z._default(z.enum(['file', 'saved', 'demo']), 'file'),
  /** Of what is saved: the number of its newest revision, who saved it, and when. */
  number: z.optional(z.int().check(z.positive())),
  by: z.optional(z.string()),
  at: z.optional(EpochMs),
})
export type OfferedWall = z.infer<typeof OfferedWall>

/** What a wall was at one time. It never changes: whatever is done to a wall is a revision of its own. */
export const WallRevision = z.extend(Wall, {
  /** From 1, without gaps while nothing old was removed. */
  number: z.int().check(z.positive()),
  by: z.string(),
  at: EpochMs,
  /** What somebody wrote about it; empty where they wrote nothing. */
  note: z.string(),
  /** The wall was deleted by it; its tiles are those that it had. */
  deleted: z.boolean(),
  /** The number of the revision whose tiles were taken again; null where none was. */
  restored: z.nullable(z.int().check(z.positive())),
})
export type WallRevision = z.infer<typeof WallRevision>

/** The answer of `GET /history/walls`, by name. */
export const WallList = z.looseObject({
  /** What everybody is offered. */
  walls: z.array(OfferedWall),
  /** Saved ones in whose place the configuration file has a wall of the same name. */
  hidden: z.array(WallRevision),
  /** The last revisions of those that were deleted. */
  deleted: z.array(WallRevision),
})
export type WallList = z.infer<typeof WallList>

/** The answer of `GET /history/walls/<name>`: the newest first, before the revision `before` where one is given. */
export const WallHistory = z.looseObject({
  revisions: z.array(WallRevision),
  /** What `before` has to be for more; null after the last. */
  next: z.nullable(z.int()),
})
export type WallHistory = z.infer<typeof WallHistory>

/** What somebody saves: the content, and the number of the revision it was made from, 0 for a new wall. */
export interface WallSave {
  readonly base: number
  readonly wall: WallContent
  readonly note: string
}

/** The `current` revision of a 409 problem `wall-changed`: somebody else saved or deleted it meanwhile. */
export const WallConflict = z.looseObject({ current: WallRevision })

/** A mistake in what was sent to be saved: of a tile, by its place from 0, and of its query by position. */
export const WallMistake = z.looseObject({
  tile: z.optional(z.int()),
  field: z.string(),
  mistake: z.string(),
  from: z.optional(z.int()),
  to: z.optional(z.int()),
})
export type WallMistake = z.infer<typeof WallMistake>

/** The `mistakes` of a 400 problem `bad-wall`. */
export const WallMistakes = z.looseObject({ mistakes: z.array(WallMistake) })
