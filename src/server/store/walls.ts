import type { Kysely, Selectable, Transaction } from 'kysely'
import {
  mostWalls,
  type WallContent,
  WallContent as Content,
  type WallRevision,
  type WallSave,
} from '../../protocol/wall.ts'
import { type Act, addAction, inTurn } from './actions.ts'
import type { Database } from './database.ts'
import { type Schema, storableText } from './schema.ts'

/** How saving, deleting or restoring a wall came out. */
export type WallSaving =
  | { readonly is: 'saved'; readonly revision: WallRevision }
  /** Somebody else changed or deleted it since the revision that it was begun from. */
  | { readonly is: 'changed'; readonly current: WallRevision; readonly base: number }
  | { readonly is: 'gone' }
  | { readonly is: 'full' }

/** The newest revision of each wall, deleted ones included, by name. */
export async function listWalls({ kysely }: Database): Promise<WallRevision[]> {
  const rows = await kysely
    .selectFrom('wall_revisions as wall')
    .selectAll()
    .where('number', '=', (of) =>
      of
        .selectFrom('wall_revisions as other')
        .select((row) => row.fn.max('other.number').as('newest'))
        .whereRef('other.name', '=', 'wall.name'),
    )
    .orderBy('name')
    .execute()
  return rows.map(revisionOf)
}

/** Revisions of a wall, the newest first, at most `limit`; those before a number where one is given. */
export async function listWallRevisions(
  { kysely }: Database,
  name: string,
  { before = Number.MAX_SAFE_INTEGER, limit }: { readonly before?: number; readonly limit: number },
): Promise<WallRevision[]> {
  const rows = await kysely
    .selectFrom('wall_revisions')
    .selectAll()
    .where('name', '=', storableText(name))
    .where('number', '<', Math.min(before, largestInteger))
    .orderBy('number', 'desc')
    .limit(limit)
    .execute()
  return rows.map(revisionOf)
}

/** Saves a wall as the revision after the one that it was made from, and notes who did; both or nothing. */
export async function saveWall(
  database: Database,
  name: string,
  { base, wall, note }: WallSave,
  act: Act,
): Promise<WallSaving> {
  const body = bodyText(wall)
  const isIt = (row: Row): boolean =>
    row.body === body && row.note === storableText(note) && row.is_deleted === 0
  return addRevision(database, { name, base, act, isIt }, async (within, current) => {
    const isNew = current === undefined || current.is_deleted === 1
    if (isNew && (await countWalls(within)) >= mostWalls) return { is: 'full' }
    const row = rowAfter(current, { name, wall, note, act })
    await within.insertInto('wall_revisions').values(row).execute()
    const what = isNew ? 'Saved the new wall' : 'Changed the wall'
    await addAction(within, {
      ...act,
      action: 'wall-saved',
      subject: name,
      detail: `${what} ${name} with ${tilesText(wall)}${note === '' ? '' : `. Note: ${note}`}`,
    })
    return { is: 'saved', revision: revisionOf(row) }
  })
}

/** Deletes a wall as it was seen; it can be restored until old history is swept. */
export async function deleteWall(
  database: Database,
  name: string,
  base: number,
  act: Act,
): Promise<WallSaving> {
  const isIt = (row: Row): boolean => row.is_deleted === 1
  return addRevision(database, { name, base, act, isIt }, async (within, current) => {
    if (current === undefined || current.is_deleted === 1) return { is: 'gone' }
    const row = {
      ...rowAfter(current, { name, wall: bodyOf(current), note: '', act }),
      is_deleted: 1,
    }
    await within.insertInto('wall_revisions').values(row).execute()
    const detail = `Deleted the wall ${name} with ${tilesText(bodyOf(current))}.`
    await addAction(within, { ...act, action: 'wall-deleted', subject: name, detail })
    return { is: 'saved', revision: revisionOf(row) }
  })
}

/** Saves what a wall was at `number` once more, as the revision after `base`: an undo, and what brings back a deleted one. */
export async function restoreWall(
  database: Database,
  name: string,
  { base, number }: { readonly base: number; readonly number: number },
  act: Act,
): Promise<WallSaving> {
  const isIt = (row: Row): boolean => row.restored === number
  return addRevision(database, { name, base, act, isIt }, async (within, current) => {
    const old = await find(within, name, number)
    if (old === undefined || current === undefined) return { is: 'gone' }
    if (current.is_deleted === 1 && (await countWalls(within)) >= mostWalls) return { is: 'full' }
    const row = {
      ...rowAfter(current, { name, wall: bodyOf(old), note: '', act }),
      restored: number,
    }
    await within.insertInto('wall_revisions').values(row).execute()
    const detail = `Restored revision ${number} of the wall ${name}, with ${tilesText(bodyOf(old))}.`
    await addAction(within, { ...act, action: 'wall-restored', subject: name, detail })
    return { is: 'saved', revision: revisionOf(row) }
  })
}

/**
 * Removes what is older than `keepFrom` (epoch ms): walls that were deleted before it, and of the others revisions
 * behind the newest `keptRevisions`.
 */
export async function sweepWalls(database: Database, keepFrom: number): Promise<void> {
  for (const { name, number, deleted, at } of await listWalls(database)) {
    const isGone = deleted && at < keepFrom
    await database.kysely
      .deleteFrom('wall_revisions')
      .where('name', '=', name)
      .where('number', '<=', isGone ? number : number - keptRevisions)
      .where('at', '<', keepFrom)
      .execute()
  }
}

/** Undo reaches as far, however long ago it was. */
const keptRevisions = 20
const largestInteger = 2_147_483_647

type Row = Selectable<Schema['wall_revisions']>

/** What somebody wants to do to a wall as it was at a revision. */
interface Asked {
  readonly name: string
  readonly base: number
  readonly act: Act
  /** Whether a revision is what comes of it. */
  readonly isIt: (row: Row) => boolean
}

/**
 * Of two who follow the same revision the database refuses one: the number is taken. Sent again, as its answer was
 * lost, it is done already.
 */
async function addRevision(
  database: Database,
  asked: Asked,
  work: (within: Transaction<Schema>, current: Row | undefined) => Promise<WallSaving>,
): Promise<WallSaving> {
  try {
    // One after another, as those of all walls are counted.
    return await inTurn(database, ['walls'], async (within) => {
      const current = await newest(within, asked.name)
      return changedSince(asked, current) ?? (await work(within, current))
    })
  } catch (error) {
    const changed = changedSince(asked, await newest(database.kysely, asked.name))
    if (changed === undefined) throw error
    return changed
  }
}

/** A new wall may take the name of one that was deleted. */
function changedSince(
  { base, act, isIt }: Asked,
  current: Row | undefined,
): WallSaving | undefined {
  const number = current?.number ?? 0
  if (number === base || (base === 0 && current?.is_deleted === 1)) return undefined
  if (current === undefined) return { is: 'gone' }
  const isNext = base === 0 || number === base + 1
  const isOwn = current.by_user === storableText(act.actor.name)
  return isNext && isOwn && isIt(current)
    ? { is: 'saved', revision: revisionOf(current) }
    : { is: 'changed', current: revisionOf(current), base }
}

function newest(kysely: Kysely<Schema>, name: string): Promise<Row | undefined> {
  return kysely
    .selectFrom('wall_revisions')
    .selectAll()
    .where('name', '=', storableText(name))
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
}

function find(kysely: Kysely<Schema>, name: string, number: number): Promise<Row | undefined> {
  return kysely
    .selectFrom('wall_revisions')
    .selectAll()
    .where('name', '=', storableText(name))
    .where('number', '=', Math.min(number, largestInteger))
    .executeTakeFirst()
}

async function countWalls(within: Transaction<Schema>): Promise<number> {
  const { count } = await within
    .selectFrom('wall_revisions as wall')
    .select((of) => of.fn.countAll<number | string>().as('count'))
    .where('is_deleted', '=', 0)
    .where('number', '=', (of) =>
      of
        .selectFrom('wall_revisions as other')
        .select((row) => row.fn.max('other.number').as('newest'))
        .whereRef('other.name', '=', 'wall.name'),
    )
    .executeTakeFirstOrThrow()
  return Number(count)
}

function rowAfter(
  current: Row | undefined,
  {
    name,
    wall,
    note,
    act,
  }: {
    readonly name: string
    readonly wall: WallContent
    readonly note: string
    readonly act: Act
  },
): Row {
  return {
    name: storableText(name),
    number: (current?.number ?? 0) + 1,
    body: bodyText(wall),
    by_user: storableText(act.actor.name),
    at: act.at,
    note: storableText(note),
    is_deleted: 0,
    restored: null,
  }
}

function bodyText(wall: WallContent): string {
  return storableText(JSON.stringify(wall))
}

function bodyOf({ body }: Row): WallContent {
  return Content.parse(JSON.parse(body))
}

function revisionOf(row: Row): WallRevision {
  const { name, number, by_user, at, note, is_deleted, restored } = row
  return {
    ...bodyOf(row),
    name,
    number,
    by: by_user,
    at,
    note,
    deleted: is_deleted === 1,
    restored,
  }
}

function tilesText({ tiles }: WallContent): string {
  if (tiles.length === 0) return 'a tile for each project'
  return tiles.length === 1 ? '1 tile' : `${tiles.length} tiles`
}
