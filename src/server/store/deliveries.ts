import type { Delivery } from '../../protocol/delivery.ts'
import { addAlert, type Alert, boardTile } from './alerts.ts'
import type { Database } from './database.ts'

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

/** The messages about a board, the newest first, `limit` at most. */
export async function listDeliveries(
  { kysely }: Database,
  board: string,
  limit: number,
): Promise<Delivery[]> {
  const rows = await kysely
    .selectFrom('alerts')
    .selectAll()
    .where('tile', '=', boardTile(board))
    .orderBy('created_at', 'desc')
    .orderBy('spell', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    id: deliveryId(row),
    createdAt: row.created_at,
    text: row.text,
    state: row.ended === null ? 'waiting' : row.ended === 'sent' ? 'sent' : 'failed',
    attempts: row.attempts,
    triedAt: row.tried_at,
    reason: row.reason,
    nextAt: row.ended === null ? row.next_at : null,
  }))
}

/**
 * Lets a message that failed be sent at once and as often as a new one. False where none with this id
 * has failed: it was sent, is being sent, or is unknown. `now` is epoch ms.
 */
export async function retryDelivery(
  { kysely }: Database,
  id: string,
  now: number,
): Promise<boolean> {
  const [tile, spell, kind] = Buffer.from(id, 'base64url')
    .toString('utf8')
    .replaceAll('\0', '')
    .split('\n')
  if (tile === undefined || spell === undefined || kind === undefined) return false
  const { numUpdatedRows } = await kysely
    .updateTable('alerts')
    .set({ ended: null, next_at: now, created_at: now, attempts: 0, reason: null })
    .where('tile', '=', tile)
    .where('tile', 'like', boardTile('%'))
    .where('spell', '=', spell)
    .where('kind', '=', kind)
    .where('reason', 'is not', null)
    .where((where) => where.or([where('ended', 'is', null), where('ended', '=', 'given-up')]))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

function deliveryId({ tile, spell, kind }: Pick<Alert, 'tile' | 'spell' | 'kind'>): string {
  return Buffer.from(`${tile}\n${spell}\n${kind}`).toString('base64url')
}
