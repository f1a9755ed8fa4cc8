import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import type { Delivery } from '../../protocol/delivery.ts'
import { addAlert, type Alert, boardTile, findTile } from './alerts.ts'
import type { Database } from './database.ts'
import type { Schema } from './schema.ts'

/** What was last recorded of a board; undefined before anybody looked. */
export async function findStanding(
  { kysely }: Database,
  board: string,
): Promise<string | undefined> {
  const row = await kysely
    .selectFrom('alert_tiles')
    .select('spell')
    .where('tile', '=', boardTile(board))
    .executeTakeFirst()
  return row?.spell
}

/** Begins to watch a board at a time, epoch ms; of two who do so at once, the first counts. */
export async function watchBoard(
  { kysely }: Database,
  board: string,
  standing: string,
  now: number,
): Promise<void> {
  await kysely
    .insertInto('alert_tiles')
    .values({
      tile: boardTile(board),
      is_failing: 0,
      spell: standing,
      since: now,
      watched_since: now,
    })
    .onConflict((conflict) => conflict.column('tile').doNothing())
    .execute()
}

/**
 * Records how a board stands now, with the messages that this causes: both or neither, and nothing
 * where somebody else was faster.
 */
export async function changeBoard(
  { kysely }: Database,
  board: string,
  { from, to }: { readonly from: string; readonly to: string },
  messages: readonly Omit<Alert, 'tile'>[],
): Promise<void> {
  const tile = boardTile(board)
  await kysely.transaction().execute(async (within) => {
    const { numUpdatedRows } = await within
      .updateTable('alert_tiles')
      .set({ spell: to })
      .where('tile', '=', tile)
      .where('spell', '=', from)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows !== 1n) return
    for (const message of messages) await addAlert({ kysely: within }, { ...message, tile })
  })
}

/** Who takes messages by the configuration: routes of alerts, empty for the one without a name, and boards. */
export interface Receivers {
  readonly routes: readonly string[]
  readonly boards: readonly string[]
}

/** Messages, the newest first, `limit` at most: those about a board, or all; those behind a message. */
export async function listDeliveries(
  { kysely }: Database,
  {
    board,
    behind,
    limit,
    receivers,
  }: {
    readonly board?: string | undefined
    readonly behind?: Pick<Delivery, 'createdAt' | 'id'> | undefined
    readonly limit: number
    readonly receivers: Receivers
  },
): Promise<Delivery[]> {
  let query = kysely.selectFrom('alerts').selectAll()
  if (board !== undefined) query = query.where('tile', '=', boardTile(board))
  if (behind !== undefined) {
    const [tile = '', spell = '', kind = ''] = partsOf(behind.id)
    const place = sql`(${behind.createdAt}, ${spell}, ${tile}, ${kind})`
    query = query.where(sql<boolean>`(created_at, spell, tile, kind) < ${place}`)
  }
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('spell', 'desc')
    .orderBy('tile', 'desc')
    .orderBy('kind', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => deliveryOf(row, receivers))
}

function deliveryOf(row: Selectable<Schema['alerts']>, { routes, boards }: Receivers): Delivery {
  return {
    id: deliveryId(row),
    to: receiverOf(row),
    createdAt: row.created_at,
    text: row.text,
    state: states[row.ended ?? 'waiting'],
    attempts: row.attempts,
    triedAt: row.tried_at,
    reason: row.reason,
    nextAt: row.ended === null ? row.next_at : null,
    isReceiverGone: row.tile.startsWith(boardTile(''))
      ? !boards.some((board) => boardTile(board) === row.tile)
      : !routes.includes(row.route),
  }
}

const states = {
  waiting: 'waiting',
  sent: 'sent',
  'given-up': 'failed',
  'left-out': 'left-out',
} as const

function receiverOf({ tile, route }: { readonly tile: string; readonly route: string }): string {
  if (tile.startsWith(boardTile(''))) return `board ${tile.slice(boardTile('').length)}`
  return route === '' ? 'SIGHTLINE_WEBHOOK_URL' : `route ${route}`
}

/**
 * Lets a message that failed be sent at once, and five times more. Returns it; undefined where none with
 * this id has failed: it was sent, is being sent, or is unknown; `over` where its tile has turned since. One whose receiver is
 * gone is returned as it stands, and isn't sent. `now` is epoch ms.
 */
export async function retryDelivery(
  database: Database,
  id: string,
  { now, receivers }: { readonly now: number; readonly receivers: Receivers },
): Promise<Delivery | 'over' | undefined> {
  const { kysely } = database
  const [tile, spell, kind] = partsOf(id)
  if (tile === undefined || spell === undefined || kind === undefined) return undefined
  const isIt = (where: ExpressionBuilder<Schema, 'alerts'>) =>
    where.and([
      where('tile', '=', tile),
      where('spell', '=', spell),
      where('kind', '=', kind),
      where('reason', 'is not', null),
      where.or([where('ended', 'is', null), where('ended', '=', 'given-up')]),
    ])
  const failed = await kysely.selectFrom('alerts').selectAll().where(isIt).executeTakeFirst()
  if (failed === undefined) return undefined
  const delivery = deliveryOf(failed, receivers)
  if (delivery.isReceiverGone === true) return delivery
  const [, turn] = /^(red|recovered)\b/.exec(kind) ?? []
  const seen = turn === undefined ? undefined : await findTile(database, tile)
  const isOver = seen && (seen.isFailing !== (turn === 'red') || seen.spell !== spell)
  if (isOver) return 'over'
  const row = await kysely
    .updateTable('alerts')
    .set({ ended: null, next_at: now, created_at: now, attempts: 1, reason: null })
    .where(isIt)
    .returningAll()
    .executeTakeFirst()
  return row && deliveryOf(row, receivers)
}

function partsOf(id: string): string[] {
  return Buffer.from(id, 'base64url').toString('utf8').replaceAll('\0', '').split('\n')
}

function deliveryId({ tile, spell, kind }: Pick<Alert, 'tile' | 'spell' | 'kind'>): string {
  return Buffer.from(`${tile}\n${spell}\n${kind}`).toString('base64url')
}
