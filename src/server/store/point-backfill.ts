import { type CountedBuild, insertPoints } from './build-points.ts'
import { listingColumns, type StoredBuild, storedBuild } from './build-rows.ts'
import type { Database } from './database.ts'
import { manyValues } from './many-values.ts'
import { inOrder } from './term-writing.ts'

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
  const { isNumberAmong } = manyValues(database.dialect)
  await inOrder(database, async (transaction) => {
    const rows = await transaction
      .selectFrom('builds')
      .leftJoin('build_points', 'build_points.build_seq', 'builds.seq')
      .select('seq')
      .where(
        isNumberAmong(
          'builds.seq',
          counted.map(({ position }) => position),
        ),
      )
      .where('build_points.build_seq', 'is', null)
      .execute()
    const wanting = new Set(rows.map(({ seq }) => seq))
    const missing = counted.filter(({ position }) => wanting.has(position))
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
