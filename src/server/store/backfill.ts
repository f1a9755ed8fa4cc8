import { sql, type Transaction } from 'kysely'
import { type CountedBuild, insertPoints } from './build-points.ts'
import { factColumns, listingColumns, type StoredBuild, storedBuild } from './build-rows.ts'
import type { Database } from './database.ts'
import type { Dialect, Schema } from './schema.ts'
import { manyValues } from './many-values.ts'
import { type FactsAt, inOrder, insertFacts } from './term-writing.ts'

/** Some builds that an earlier release stored without what searches need. */
export interface Unprepared {
  readonly builds: readonly StoredBuild[]
  /** Up to this position there may be more; 0 where there are none. */
  readonly upto: number
}

/** The newest builds of an earlier release that cannot be searched yet, at most `limit`. */
export async function unpreparedBuilds({ kysely }: Database, limit: number): Promise<Unprepared> {
  const row = await kysely.selectFrom('search_backfill').select('upto').executeTakeFirst()
  const upto = row?.upto ?? 0
  if (upto === 0) return { builds: [], upto }
  const rows = await kysely
    .selectFrom('builds')
    .leftJoin('build_facts', 'build_facts.build_seq', 'builds.seq')
    .select(listingColumns)
    .where('seq', '<=', upto)
    .where('readable', '=', 1)
    .where('build_facts.build_seq', 'is', null)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
  return { builds: rows.map(storedBuild), upto }
}

/**
 * Stores what builds of an earlier release are searched by, and that all after `upto` have it. Those
 * that are gone, or were prepared by another process, are left out.
 */
export async function storePrepared(
  database: Database,
  prepared: readonly FactsAt[],
  upto: number,
): Promise<void> {
  await inOrder(database, async (transaction) => {
    const missing = await stillMissing(transaction, database.dialect, 'build_facts', prepared)
    await insertFacts(transaction, database.dialect, missing)
    for (const { position, facts } of missing) {
      await transaction
        .updateTable('builds')
        .set(factColumns(facts))
        .where('seq', '=', position)
        .execute()
    }
    await transaction
      .updateTable('search_backfill')
      .set({ upto })
      .where('upto', '>', upto)
      .execute()
  })
}

/** Some builds that an earlier release stored without counting them. */
export interface Uncounted {
  readonly builds: readonly (StoredBuild & { readonly facts: string })[]
  /** Up to this position there may be more; 0 where there are none. */
  readonly upto: number
}

/** The newest builds of an earlier release that aren't counted yet, at most `limit`. */
export async function uncountedBuilds({ kysely }: Database, limit: number): Promise<Uncounted> {
  const row = await kysely.selectFrom('point_backfill').select('upto').executeTakeFirst()
  const upto = row?.upto ?? 0
  if (upto === 0) return { builds: [], upto }
  const rows = await kysely
    .selectFrom('builds')
    .innerJoin('build_facts', 'build_facts.build_seq', 'builds.seq')
    .leftJoin('build_points', 'build_points.build_seq', 'builds.seq')
    .select([...listingColumns, 'build_facts.facts'])
    .where('seq', '<=', upto)
    .where('readable', '=', 1)
    .where('build_points.build_seq', 'is', null)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
  return { builds: rows.map((one) => ({ ...storedBuild(one), facts: one.facts })), upto }
}

/**
 * Counts builds of an earlier release, and notes that all after `upto` are. Those that are gone, or
 * were counted by another process, are left out.
 */
export async function storeCounted(
  database: Database,
  counted: readonly CountedBuild[],
  upto: number,
): Promise<void> {
  await inOrder(database, async (transaction) => {
    const missing = await stillMissing(transaction, database.dialect, 'build_points', counted)
    await insertPoints(transaction, database.dialect, missing)
    for (const { position, facts } of missing) {
      if (facts.failure === undefined) continue
      await transaction
        .updateTable('build_facts')
        .set({ facts: JSON.stringify(facts) })
        .where('build_seq', '=', position)
        .execute()
    }
    await transaction.updateTable('point_backfill').set({ upto }).where('upto', '>', upto).execute()
  })
}

/** Those whose builds are still there and that no other process has stored meanwhile. */
async function stillMissing<At extends { readonly position: number }>(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  table: 'build_facts' | 'build_points',
  given: readonly At[],
): Promise<readonly At[]> {
  const positions = given.map(({ position }) => position)
  const rows = await transaction
    .selectFrom('builds')
    .select('seq')
    .where(manyValues(dialect).isNumberAmong('builds.seq', positions))
    .where(
      sql<boolean>`not exists (select 1 from ${sql.table(table)} as stored where stored.build_seq = builds.seq)`,
    )
    .execute()
  const wanting = new Set(rows.map(({ seq }) => seq))
  return given.filter(({ position }) => wanting.has(position))
}
