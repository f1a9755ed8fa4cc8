import { createHash } from 'node:crypto'
import { mostClaims, type NewClaim, type TileClaim } from '../../protocol/claim.ts'
import { type Act, addAction, inTurn, sentAgainMs } from './actions.ts'
import type { Database } from './database.ts'
import { type Schema, storableText } from './schema.ts'

/** What is said of a tile: of a claim no more than that. */
export type SaidOfTile = Pick<TileClaim, 'tile' | 'kind' | 'failingSince' | 'reason' | 'until'>

/** What was said of tiles and has not been taken back or slept out at `now` (epoch ms), the newest first. */
export async function listClaims({ kysely }: Database, now: number): Promise<TileClaim[]> {
  const rows = await kysely
    .selectFrom('claims')
    .selectAll()
    .where((row) => row.or([row('until_at', 'is', null), row('until_at', '>', now)]))
    .orderBy('created_at', 'desc')
    .orderBy('tile_key')
    .orderBy('kind')
    .limit(mostClaims)
    .execute()
  return rows.map(claimOf)
}

/** The same of one tile. */
export async function claimsOfTile(database: Database, tile: string): Promise<TileClaim[]> {
  return claimsOfHash(database, keyOf(tile))
}

/** The same of a tile of which the SHA-256 hash is known, as alerts know it; hex. */
export async function claimsOfHash({ kysely }: Database, hash: string): Promise<TileClaim[]> {
  const rows = await kysely.selectFrom('claims').selectAll().where('tile_key', '=', hash).execute()
  return rows.map(claimOf)
}

/**
 * Says it in place of what was said of the tile before, and notes who did; both or nothing. Said again of the same failure by the
 * same person within an hour, as the response was lost, it is said once. Undefined where somebody else has said something of this
 * failure that isn't `inPlaceOf` (`NewClaim`).
 */
export async function sayOfTile(
  database: Database,
  {
    tile,
    kind,
    failingSince = null,
    inPlaceOf,
    reason,
    until,
  }: SaidOfTile & Pick<NewClaim, 'inPlaceOf'>,
  act: Act,
): Promise<TileClaim | undefined> {
  const set = {
    tile: storableText(tile),
    by_user: storableText(act.actor.name),
    created_at: act.at,
    reason: reason === null ? null : storableText(reason),
    until_at: until,
    failing_since: failingSince,
  }
  const row: Row = { tile_key: keyOf(tile), kind, ...set }
  const content = ['claim', row.tile_key, kind, ...saidColumns.map((of) => set[of])]
  return inTurn(database, content, async (within) => {
    const before = await within
      .selectFrom('claims')
      .selectAll()
      .where('tile_key', '=', row.tile_key)
      .where('kind', '=', kind)
      .where('created_at', '>', act.at - sentAgainMs)
      .executeTakeFirst()
    // Without the failure it may be about another one, which began since.
    const isNamed = failingSince !== null
    if (isNamed && before !== undefined && saidColumns.every((of) => before[of] === set[of])) {
      return claimOf(before)
    }
    const { numInsertedOrUpdatedRows } = await within
      .insertInto('claims')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['tile_key', 'kind'])
          .doUpdateSet(set)
          .where((of) =>
            of.or([
              of.lit(inPlaceOf === undefined || failingSince === null),
              of('claims.by_user', '=', set.by_user),
              of('claims.created_at', '=', inPlaceOf ?? -1),
              of(of.fn.coalesce('claims.failing_since', 'claims.created_at'), '<', failingSince),
              of('claims.until_at', '<=', act.at),
            ]),
          ),
      )
      .executeTakeFirstOrThrow()
    if (numInsertedOrUpdatedRows !== 1n) return undefined
    await addAction(within, {
      ...act,
      action: kind === 'claim' ? 'tile-claimed' : 'tile-sleeps',
      subject: tile,
      detail:
        until === null
          ? 'Claimed a failing tile.'
          : `Lets a failing tile sleep until ${new Date(until).toISOString()}: ${reason ?? ''}`,
    })
    return claimOf(row)
  })
}

const saidColumns = ['by_user', 'reason', 'until_at', 'failing_since'] as const

/** Takes it back, and notes who did. False where nothing is there to be taken back, or not what was said at `createdAt`, epoch ms. */
export async function takeBack(
  { kysely }: Database,
  {
    tile,
    kind,
    createdAt,
  }: Pick<SaidOfTile, 'tile' | 'kind'> & { readonly createdAt?: number | undefined },
  act: Act,
): Promise<boolean> {
  return kysely.transaction().execute(async (within) => {
    const { numDeletedRows } = await within
      .deleteFrom('claims')
      .where('tile_key', '=', keyOf(tile))
      .where('kind', '=', kind)
      .$if(createdAt !== undefined, (query) => query.where('created_at', '=', createdAt ?? 0))
      .executeTakeFirstOrThrow()
    if (numDeletedRows === 0n) return false
    await addAction(within, {
      ...act,
      action: kind === 'claim' ? 'claim-released' : 'tile-woken',
      subject: tile,
      detail: kind === 'claim' ? 'Released a failing tile.' : 'Woke a failing tile.',
    })
    return true
  })
}

/** Ends what was said of failures of a tile that began until `since`, by the build server's clock, epoch ms: they are over. */
export async function endClaims({ kysely }: Database, tile: string, since: number): Promise<void> {
  await kysely
    .deleteFrom('claims')
    .where('tile_key', '=', keyOf(tile))
    .where((row) => row(row.fn.coalesce('failing_since', 'created_at'), '<=', since))
    .execute()
}

type Row = Schema['claims']

function claimOf({ tile, kind, reason, ...row }: Row): TileClaim {
  const { by_user: by, created_at: createdAt, failing_since: failingSince, until_at: until } = row
  return { tile, kind, by, createdAt, failingSince, reason, until }
}

/** Queries may be longer than what an index takes. */
function keyOf(tile: string): string {
  return createHash('sha256').update(tile).digest('hex')
}
