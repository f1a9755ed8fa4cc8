import { factColumns, listingColumns, type StoredBuild, storedBuild } from './build-rows.ts'
import type { Database } from './database.ts'
import { type FactsAt, inOrder, insertFacts } from './term-writing.ts'
import { manyValues } from './many-values.ts'

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
  const { isNumberAmong } = manyValues(database.dialect)
  await inOrder(database, async (transaction) => {
    const rows = await transaction
      .selectFrom('builds')
      .leftJoin('build_facts', 'build_facts.build_seq', 'builds.seq')
      .select('seq')
      .where(
        isNumberAmong(
          'builds.seq',
          prepared.map(({ position }) => position),
        ),
      )
      .where('build_facts.build_seq', 'is', null)
      .execute()
    const wanting = new Set(rows.map(({ seq }) => seq))
    const missing = prepared.filter(({ position }) => wanting.has(position))
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
