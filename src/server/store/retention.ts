import { removePoints } from './build-points.ts'
import type { Database } from './database.ts'
import { deleteTerms, inOrder } from './term-writing.ts'

const batchSize = 500
const rememberedIds = 100_000

/**
 * Removes all builds but the newest `keepNewest`, in small transactions so that readers are not
 * held up. The ids of the last 100,000 removed ones still serve as cursors. Answers how many were
 * removed.
 */
export async function pruneBuilds(database: Database, keepNewest: number): Promise<number> {
  const { kysely } = database
  const oldestGone = await kysely
    .selectFrom('builds')
    .select('seq')
    .orderBy('seq', 'desc')
    .offset(keepNewest)
    .limit(1)
    .executeTakeFirst()
  let removed = 0
  for (let batch = -1; oldestGone !== undefined && batch !== 0; removed += Math.max(0, batch)) {
    const rows = await kysely
      .selectFrom('builds')
      .select(['seq', 'build_id'])
      .where('seq', '<=', oldestGone.seq)
      .orderBy('seq')
      .limit(batchSize)
      .execute()
    await removeBuilds(database, rows)
    batch = rows.length
  }
  const oldestRemembered = await kysely
    .selectFrom('removed_builds')
    .select('seq')
    .orderBy('seq', 'desc')
    .offset(rememberedIds)
    .limit(1)
    .executeTakeFirst()
  if (oldestRemembered !== undefined) {
    await kysely.deleteFrom('removed_builds').where('seq', '<=', oldestRemembered.seq).execute()
  }
  return removed
}

/** Removes all builds, as if none had ever been stored. */
export async function forgetBuilds(database: Database): Promise<void> {
  await pruneBuilds(database, 0)
  await database.kysely.deleteFrom('removed_builds').execute()
}

/** Removes one build with its events; its id still serves as a cursor. */
export async function removeBuild(
  database: Database,
  position: number,
  buildId: string,
): Promise<void> {
  await removeBuilds(database, [{ seq: position, build_id: buildId }])
}

async function removeBuilds(
  database: Database,
  rows: readonly { readonly seq: number; readonly build_id: string }[],
): Promise<void> {
  if (rows.length === 0) return
  await inOrder(database, async (transaction) => {
    await transaction
      .insertInto('removed_builds')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('build_id').doUpdateSet((row) => ({ seq: row.ref('excluded.seq') })),
      )
      .execute()
    const positions = rows.map((row) => row.seq)
    await deleteTerms(transaction, database.dialect, positions)
    await removePoints(transaction, database.dialect, positions)
    await transaction.deleteFrom('builds').where('seq', 'in', positions).execute()
  })
}
