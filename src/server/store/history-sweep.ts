import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { earliestId } from './actions.ts'
import { sweepWalls } from './walls.ts'

/** What of the history is kept. */
export interface HistoryLimits {
  /** What is older is removed, epoch ms. */
  readonly keepFrom: number
  /** Of each policy scan of a version of a package, as many of the newest evaluations. */
  readonly keepPerScan: number
}

/** With what they take along, 20 ms of an SQLite that is on the disk. */
const batchSize = 50

/**
 * Removes what is older than is kept, and evaluations beyond the number that is, in small statements
 * so that readers are not held up. A waiver is as old as its end, and takes what was noted of it
 * along; one in force stays. So do runs and waivers that a decision stands on. Answers how many evaluations were removed. Safe when two do it at once,
 * and when it is ended by `signal` half way.
 */
export async function sweepHistory(
  database: Database,
  limits: HistoryLimits,
  signal?: AbortSignal,
): Promise<number> {
  const { kysely } = database
  const { keepFrom, keepPerScan } = limits
  let removed = await removeEvaluations(database, { before: earliestId(keepFrom) }, signal)
  removed += await removeCrowded(database, keepPerScan, signal)
  await kysely.deleteFrom('quarantine').where('until_at', '<', keepFrom).execute()
  await kysely
    .deleteFrom('waivers')
    .where(sql`coalesce(ended_at, expires_at)`, '<', keepFrom)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('decision_waivers')
            .select('waiver_id')
            .whereRef('decision_waivers.waiver_id', '=', 'waivers.id'),
        ),
      ),
    )
    .execute()
  await kysely.deleteFrom('saved_queries').where('deleted_at', '<', keepFrom).execute()
  await kysely.deleteFrom('query_runs').where('at', '<', keepFrom).execute()
  await sweepWalls(database, keepFrom)
  // What has an end or a date of its own is as old as that.
  await kysely
    .deleteFrom('claims')
    .where(sql`coalesce(until_at, created_at)`, '<', keepFrom)
    .execute()
  await kysely
    .deleteFrom('assignments')
    .where('changed_at', '<', keepFrom)
    .where(sql`coalesce(due_at, changed_at)`, '<', keepFrom)
    .execute()
  await removeInsights(database, keepFrom, signal)
  await removeActions(database, keepFrom, signal)
  return removed
}

/** Of each policy scan of a version of a package, all but the newest evaluations. */
async function removeCrowded(
  database: Database,
  keepPerScan: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  let removed = 0
  let last: { package_path: string; scan: string } | undefined = { package_path: '', scan: '' }
  while (last !== undefined && signal?.aborted !== true) {
    // A million evaluations counted at once would hold up SQLite's readers for a second.
    const scans = await database.kysely
      .selectFrom('evaluations')
      .select((row) => ['package_path', 'scan', row.fn.countAll().as('evaluations')])
      .where(sql`(package_path, scan)`, '>', sql`(${last.package_path}, ${last.scan})`)
      .groupBy(['package_path', 'scan'])
      .orderBy('package_path')
      .orderBy('scan')
      .limit(batchSize)
      .execute()
    for (const { package_path, scan, evaluations } of scans) {
      if (Number(evaluations) <= keepPerScan) continue
      const oldestKept = await database.kysely
        .selectFrom('evaluations')
        .select('id')
        .where('package_path', '=', package_path)
        .where('scan', '=', scan)
        .orderBy('id', 'desc')
        .offset(keepPerScan - 1)
        .limit(1)
        .executeTakeFirst()
      if (oldestKept === undefined) continue
      const which = { before: oldestKept.id, package_path, scan }
      removed += await removeEvaluations(database, which, signal)
    }
    last = scans.length === batchSize ? scans.at(-1) : undefined
    await setImmediate()
  }
  return removed
}

/** A build that is still looked at is read once more. */
async function removeInsights(
  { kysely }: Database,
  keepFrom: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  let last = batchSize
  while (last === batchSize && signal?.aborted !== true) {
    const old = await kysely
      .selectFrom('build_insights')
      .select(['build_id', 'kind'])
      .where('read_at', '<', keepFrom)
      .limit(batchSize)
      .execute()
    last = old.length
    for (const { build_id, kind } of old) {
      await kysely
        .deleteFrom('build_insights')
        .where('build_id', '=', build_id)
        .where('kind', '=', kind)
        .where('read_at', '<', keepFrom)
        .execute()
    }
    await setImmediate()
  }
}

/** The database lets actions be removed only while a sweep says up to when (history-migrations.ts). */
async function removeActions(
  { kysely }: Database,
  keepFrom: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  let last = batchSize
  while (last === batchSize && signal?.aborted !== true) {
    last = await kysely.transaction().execute(async (within) => {
      await within.insertInto('action_sweeps').values({ keep_from: keepFrom }).execute()
      const old = await within
        .selectFrom('actions')
        .select('id')
        .where('id', '<', earliestId(keepFrom))
        .where((row) =>
          row.or([
            row('waiver_id', 'is', null),
            row.not(
              row.exists(
                row
                  .selectFrom('waivers')
                  .select('id')
                  .whereRef('waivers.id', '=', 'actions.waiver_id'),
              ),
            ),
          ]),
        )
        .orderBy('id')
        .limit(batchSize)
        .execute()
      const ids = old.map(({ id }) => id)
      if (ids.length > 0) await within.deleteFrom('actions').where('id', 'in', ids).execute()
      await within.deleteFrom('action_sweeps').execute()
      return ids.length
    })
    await setImmediate()
  }
}

async function removeEvaluations(
  { kysely }: Database,
  which: { readonly before: string; readonly package_path?: string; readonly scan?: string },
  signal: AbortSignal | undefined,
): Promise<number> {
  let removed = 0
  while (signal?.aborted !== true) {
    let query = kysely
      .selectFrom('evaluations')
      .select('id')
      .where('id', '<', which.before)
      .where((row) =>
        row.not(
          row.exists(
            row
              .selectFrom('decision_runs')
              .select('evaluation_id')
              .whereRef('decision_runs.evaluation_id', '=', 'evaluations.id'),
          ),
        ),
      )
      .limit(batchSize)
    if (which.package_path !== undefined) {
      query = query.where('package_path', '=', which.package_path)
    }
    if (which.scan !== undefined) query = query.where('scan', '=', which.scan)
    const ids = (await query.execute()).map(({ id }) => id)
    if (ids.length === 0) return removed
    await kysely.deleteFrom('evaluations').where('id', 'in', ids).execute()
    removed += ids.length
    // SQLite answers within the turn: without this, nobody else would have one.
    await setImmediate()
  }
  return removed
}
