import { listingColumns, type StoredBuild, storedBuild } from './build-rows.ts'
import type { Database } from './database.ts'

/** Which builds, and from where. Positions are exclusive. */
export interface Listing {
  readonly after?: number
  readonly before?: number
  /** Received at or after this instant, epoch ms. */
  readonly receivedFrom?: number
  /** Received before this instant, epoch ms. */
  readonly receivedBefore?: number
  readonly toolType?: string
  readonly newestFirst?: boolean
}

/**
 * At most `limit` builds of a listing in order of receipt, or in the opposite order. To go on, ask
 * again after (or before) the position of the last one.
 */
export async function listBuilds(
  { kysely }: Database,
  listing: Listing,
  limit: number,
): Promise<StoredBuild[]> {
  let query = kysely
    .selectFrom('builds')
    .select(listingColumns)
    .orderBy('seq', listing.newestFirst ? 'desc' : 'asc')
    .limit(limit)
  if (listing.after !== undefined) query = query.where('seq', '>', listing.after)
  if (listing.before !== undefined) query = query.where('seq', '<', listing.before)
  if (listing.receivedFrom !== undefined) {
    query = query.where('received_at', '>=', listing.receivedFrom)
  }
  if (listing.receivedBefore !== undefined) {
    query = query.where('received_at', '<', listing.receivedBefore)
  }
  if (listing.toolType !== undefined) query = query.where('tool_type', '=', listing.toolType)
  return (await query.execute()).map(storedBuild)
}

/**
 * The position right before the first build that was received at or after `instant` (epoch ms):
 * where a listing from that instant may begin without reading what lies before. Where there is
 * none it is the last position.
 */
export async function positionBefore(database: Database, instant: number): Promise<number> {
  if (instant === 0) return 0
  const row = await database.kysely
    .selectFrom('builds')
    .select(({ fn }) => fn.min<number | null>('seq').as('seq'))
    .where('received_at', '>=', instant)
    .executeTakeFirst()
  return row?.seq === null || row?.seq === undefined ? lastPosition(database) : row.seq - 1
}

/** The position of the build that was received last; 0 where there is none. */
export async function lastPosition({ kysely }: Database): Promise<number> {
  const row = await kysely
    .selectFrom('builds')
    .select(({ fn }) => fn.max<number | null>('seq').as('seq'))
    .executeTakeFirst()
  return row?.seq ?? 0
}

/** One build by its id. */
export async function findBuild(
  { kysely }: Database,
  buildId: string,
): Promise<StoredBuild | undefined> {
  const row = await kysely
    .selectFrom('builds')
    .select(listingColumns)
    .where('build_id', '=', buildId)
    .executeTakeFirst()
  return row === undefined ? undefined : storedBuild(row)
}

/** The position of a build, also of one that has been removed; undefined where the id is unknown. */
export async function positionOf(
  { kysely }: Database,
  buildId: string,
): Promise<number | undefined> {
  const build = kysely.selectFrom('builds').select('seq').where('build_id', '=', buildId)
  const removed = kysely.selectFrom('removed_builds').select('seq').where('build_id', '=', buildId)
  return ((await build.executeTakeFirst()) ?? (await removed.executeTakeFirst()))?.seq
}

/** The attributes of some builds as JSON texts, by position; builds without have no entry. */
export async function attributesOf(
  { kysely }: Database,
  positions: readonly number[],
): Promise<Map<number, string>> {
  if (positions.length === 0) return new Map()
  const rows = await kysely
    .selectFrom('build_attributes')
    .select(['build_seq', 'attributes'])
    .where('build_seq', 'in', positions)
    .execute()
  return new Map(rows.map((row) => [row.build_seq, row.attributes]))
}

/** The facts of some builds as JSON texts, by position; builds without have no entry. */
export async function factsTextsOf(
  { kysely }: Database,
  positions: readonly number[],
): Promise<Map<number, string>> {
  if (positions.length === 0) return new Map()
  const rows = await kysely
    .selectFrom('build_facts')
    .select(['build_seq', 'facts'])
    .where('build_seq', 'in', positions)
    .execute()
  return new Map(rows.map((row) => [row.build_seq, row.facts]))
}
