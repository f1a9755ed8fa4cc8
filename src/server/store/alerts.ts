import type { Database } from './database.ts'
import { storableText } from './schema.ts'

/** How a tile stands. A spell is a stretch of failures: the build that began it names it. */
export interface TileSpell {
  readonly tile: string
  readonly isFailing: boolean
  /** Of the present or, while it is well, of the last failures; empty where there were none. */
  readonly spell: string
  /** When the first build of the stretch was received, epoch ms. */
  readonly since: number
}

/** What is kept of a tile; what happened before `watchedSince` (epoch ms) is told nobody. */
export interface WatchedTile extends TileSpell {
  readonly watchedSince: number
}

/** Something to be told, once for each tile, spell and kind. */
export interface Alert {
  readonly tile: string
  readonly spell: string
  /** `red:<minutes>` or `recovered`. */
  readonly kind: string
  /** As Slack reads it. */
  readonly text: string
  readonly createdAt: number
  /** To which receiver it goes: a route of the configuration; empty, or absent, for the one without a name. */
  readonly route?: string
  /** The same as JSON, for receivers that take another format. */
  readonly message?: string
}

/** An alert that has not been told yet. */
export interface DueAlert extends Omit<Alert, 'message'> {
  readonly message: string | null
  readonly route: string
  readonly attempts: number
  /** Who hasn't got it while others have, one a line; null for all. */
  readonly leftTo: string | null
}

/** How a tile stood when somebody last looked; undefined where nobody has. */
export async function findTile(
  { kysely }: Database,
  tile: string,
): Promise<WatchedTile | undefined> {
  const row = await kysely
    .selectFrom('alert_tiles')
    .selectAll()
    .where('tile', '=', tile)
    .executeTakeFirst()
  return (
    row && {
      tile,
      isFailing: row.is_failing === 1,
      spell: row.spell,
      since: row.since,
      watchedSince: row.watched_since,
    }
  )
}

/** Begins to watch a tile; of two who do so at once, the first counts. */
export async function watchTile(
  { kysely }: Database,
  { tile, isFailing, spell, since, watchedSince }: WatchedTile,
): Promise<void> {
  await kysely
    .insertInto('alert_tiles')
    .values({
      tile,
      is_failing: isFailing ? 1 : 0,
      spell,
      since,
      watched_since: watchedSince,
    })
    .onConflict((conflict) => conflict.column('tile').doNothing())
    .execute()
}

/** Changes how a tile stands, unless somebody else was faster. */
export async function changeTile(
  { kysely }: Database,
  from: TileSpell,
  to: Omit<TileSpell, 'tile'>,
): Promise<void> {
  await kysely
    .updateTable('alert_tiles')
    .set({ is_failing: to.isFailing ? 1 : 0, spell: to.spell, since: to.since })
    .where('tile', '=', from.tile)
    .where('is_failing', '=', from.isFailing ? 1 : 0)
    .where('spell', '=', from.spell)
    .execute()
}

/** Puts something down to be told; nothing where it stands there already, told or not. */
export async function addAlert({ kysely }: Pick<Database, 'kysely'>, alert: Alert): Promise<void> {
  const { tile, spell, createdAt, route = '' } = alert
  const kind = storedKind(alert)
  await kysely
    .insertInto('alerts')
    .values({
      tile,
      spell,
      kind,
      text: storableText(alert.text),
      created_at: createdAt,
      next_at: createdAt,
      attempts: 0,
      ended: null,
      tried_at: null,
      reason: null,
      route,
      message: alert.message === undefined ? null : storableText(alert.message),
      left_to: null,
    })
    .onConflict((conflict) => conflict.columns(['tile', 'spell', 'kind']).doNothing())
    .execute()
}

/** What is to be sent once for each receiver: the key of a row has no column for these. */
function storedKind({ kind, route = '' }: Pick<Alert, 'kind' | 'route'>): string {
  return route === '' ? kind : `${kind} ${storableText(route)}`
}

/**
 * Whether the recovery of a spell is news to a receiver: it, or some of its people, was notified that it began, or stands in for
 * one that is gone and never had a message of it.
 */
export async function isAwaited(
  { kysely }: Database,
  { tile, spell, route = '' }: Pick<Alert, 'tile' | 'spell' | 'route'>,
): Promise<boolean> {
  const rows = await failuresOf({ kysely }, { tile, spell })
    .select(['ended', 'left_to'])
    .where('route', '=', route)
    .execute()
  return (
    rows.length === 0 || rows.some(({ ended, left_to }) => ended === 'sent' || left_to !== null)
  )
}

/** The receivers that were notified that a spell began, or will be if nothing of it is sent yet. */
export async function notifiedRoutes(
  database: Database,
  spell: Pick<Alert, 'tile' | 'spell'>,
): Promise<string[]> {
  const rows = await failuresOf(database, spell)
    .where((where) =>
      where.or([
        where('ended', 'is', null),
        where('ended', '=', 'sent'),
        where('left_to', 'is not', null),
      ]),
    )
    .distinct()
    .orderBy('route')
    .execute()
  return rows.map(({ route }) => route)
}

function failuresOf(
  { kysely }: Pick<Database, 'kysely'>,
  { tile, spell }: Pick<Alert, 'tile' | 'spell'>,
) {
  return kysely
    .selectFrom('alerts')
    .select('route')
    .where('tile', '=', tile)
    .where('spell', '=', spell)
    .where('kind', 'not like', 'recovered%')
}

/** The tile under which the messages about a board are. */
export function boardTile(board: string): string {
  return storableText(`${boardPrefix}${board}`)
}

/** Stands for every project: since when they are all watched. */
export const projectsTile = 'projects'

/** No other tile begins so: they are hashes, waivers, or all projects. */
const boardPrefix = 'board '

/**
 * The `most` that are to be sent now, the oldest first: messages about one tile, or those of a route about
 * all that are no boards. One waits for those before it about the same tile. `now` is epoch ms.
 */
export async function dueAlerts(
  { kysely }: Database,
  now: number,
  {
    tile,
    route = '',
    most = 20,
  }: { readonly tile?: string | undefined; readonly route?: string; readonly most?: number } = {},
): Promise<DueAlert[]> {
  const rows = await kysely
    .selectFrom('alerts')
    .selectAll()
    .where('ended', 'is', null)
    .where('next_at', '<=', now)
    .where('route', '=', route)
    .where((where) =>
      tile === undefined ? where('tile', 'not like', `${boardPrefix}%`) : where('tile', '=', tile),
    )
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('alerts as earlier')
            .select('earlier.tile')
            .whereRef('earlier.tile', '=', 'alerts.tile')
            .whereRef('earlier.route', '=', 'alerts.route')
            .whereRef('earlier.created_at', '<', 'alerts.created_at')
            .where('earlier.ended', 'is', null)
            .where('earlier.next_at', '>', now),
        ),
      ),
    )
    .orderBy('created_at')
    .orderBy('kind')
    .orderBy('tile')
    .orderBy('spell')
    .limit(most)
    .execute()
  return rows.map(({ created_at, kind, ...row }) => ({
    tile: row.tile,
    spell: row.spell,
    kind: row.route === '' ? kind : kind.slice(0, -row.route.length - 1),
    text: row.text,
    message: row.message,
    route: row.route,
    createdAt: created_at,
    attempts: row.attempts,
    leftTo: row.left_to,
  }))
}

/** Leaves out what was put down before a time, epoch ms, for receivers besides these: nobody would ever send it. */
export async function leaveOutReceivers(
  { kysely }: Database,
  { routes, boards }: { readonly routes: readonly string[]; readonly boards: readonly string[] },
  before: number,
): Promise<void> {
  const isOfBoard = `${boardPrefix}%`
  await kysely
    .updateTable('alerts')
    .set({ ended: 'left-out', reason: "Its receiver isn't configured any more." })
    .where('ended', 'is', null)
    .$if(before < Infinity, (query) => query.where('created_at', '<', before))
    .where((where) =>
      where.or([
        where.and([
          where('tile', 'not like', isOfBoard),
          ...(routes.length > 0 ? [where('route', 'not in', routes)] : []),
        ]),
        where.and([
          where('tile', 'like', isOfBoard),
          ...(boards.length > 0 ? [where('tile', 'not in', boards.map(boardTile))] : []),
        ]),
      ]),
    )
    .execute()
}

/** How many alerts are not sent yet, and how many were given up or sent since a time, epoch ms. */
export async function countAlerts(
  { kysely }: Database,
  since: number,
): Promise<{ readonly waiting: number; readonly failed: number; readonly sent: number }> {
  const rows = await kysely
    .selectFrom('alerts')
    .select(['ended', (expression) => expression.fn.countAll<number | string>().as('count')])
    .where((where) => where.or([where('ended', 'is', null), where('created_at', '>=', since)]))
    .groupBy('ended')
    .execute()
  const countOf = (ended: string | null): number =>
    Number(rows.find((row) => row.ended === ended)?.count ?? 0)
  return { waiting: countOf(null), failed: countOf('given-up'), sent: countOf('sent') }
}

/**
 * Takes an alert, as it is to be told now, for one attempt at a time, epoch ms; false where another proxy has. Nobody takes it
 * before `nextAt`.
 */
export async function takeAlert(
  { kysely }: Database,
  { attempts, ...alert }: DueAlert,
  { now, nextAt }: { readonly now: number; readonly nextAt: number },
): Promise<boolean> {
  const { numUpdatedRows } = await kysely
    .updateTable('alerts')
    .set({
      ...{ attempts: attempts + 1, next_at: nextAt, tried_at: now, reason: null },
      text: storableText(alert.text),
      message: alert.message === null ? null : storableText(alert.message),
    })
    .where('tile', '=', alert.tile)
    .where('spell', '=', alert.spell)
    .where('kind', '=', storedKind(alert))
    .where('attempts', '=', attempts)
    .where('ended', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Ends what is no news any more, for a reason and without an attempt; false where another proxy has taken it. */
export async function leaveOutAlert(
  { kysely }: Database,
  alert: DueAlert,
  reason: string,
): Promise<boolean> {
  const { numUpdatedRows } = await kysely
    .updateTable('alerts')
    .set({ ended: 'left-out', reason })
    .where('tile', '=', alert.tile)
    .where('spell', '=', alert.spell)
    .where('kind', '=', storedKind(alert))
    .where('attempts', '=', alert.attempts)
    .where('ended', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/**
 * Notes how an attempt ended: `ended` is null where another one follows, `reason` where it was sent. `leftTo`: who hasn't got
 * it while others have, one a line. `again`: when the next one is, epoch ms, and how
 * many there were that count.
 */
export async function noteAttempt(
  { kysely }: Database,
  alert: Pick<Alert, 'tile' | 'spell' | 'kind' | 'route'>,
  {
    ended,
    reason,
    leftTo,
    again,
  }: {
    readonly ended: 'sent' | 'given-up' | null
    readonly reason: string | null
    readonly leftTo?: string
    readonly again?: { readonly attempts: number; readonly nextAt: number }
  },
): Promise<void> {
  await kysely
    .updateTable('alerts')
    .set({
      ended,
      reason,
      ...(leftTo !== undefined && { left_to: leftTo }),
      ...(again && { next_at: again.nextAt, attempts: again.attempts }),
    })
    .where('tile', '=', alert.tile)
    .where('spell', '=', alert.spell)
    .where('kind', '=', storedKind(alert))
    .execute()
}

/**
 * Forgets what was put down before a time, epoch ms, and tiles of which nothing has been since: one
 * that is still looked at begins anew. What was last said of boards is kept, and since when all projects
 * are watched.
 */
export async function forgetAlerts({ kysely }: Database, before: number): Promise<void> {
  await kysely.deleteFrom('alerts').where('created_at', '<', before).execute()
  await kysely
    .deleteFrom('alert_tiles')
    .where('watched_since', '<', before)
    .where('since', '<', before)
    .where('tile', 'not like', `${boardPrefix}%`)
    .where('tile', '!=', projectsTile)
    .execute()
}
