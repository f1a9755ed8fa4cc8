import { type Kysely, type MigrationProvider, Migrator, sql } from 'kysely'
import { problem, ProblemError } from '../../protocol/problem.ts'
import {
  attestationMigration,
  branchIndexMigration,
  builds,
  rollupsMigration,
  searchMigration,
  seedsMigration,
} from './build-migrations.ts'
import {
  alertRoutesMigration,
  assignmentsMigration,
  auditLogMigration,
  claimsMigration,
  decisionsMigration,
  deliveriesMigration,
  historyMigration,
  insightsMigration,
  quarantineMigration,
  runReasonsMigration,
  waiverPersonsMigration,
  waiversMigration,
} from './history-migrations.ts'
import {
  savedQueriesMigration,
  screensMigration,
  sessionsMigration,
  tokenUsesMigration,
  wallsMigration,
} from './people-migrations.ts'
import type { Dialect, Schema } from './schema.ts'

/**
 * Brings the tables of a database up to date, all of it or nothing: a process that is killed in
 * the middle leaves the tables as they were. Processes that start at once wait for each other. Throws
 * the ProblemError of `refuseNewer`, and what the database throws.
 */
export async function migrate(kysely: Kysely<Schema>, dialect: Dialect): Promise<void> {
  await refuseNewer(kysely, dialect)
  const provider = migrations(dialect)
  const done = await migrationsDone(kysely, dialect)
  // A database that is up to date isn't written to.
  if (Object.keys(await provider.getMigrations()).every((name) => done.includes(name))) return
  const run = async (db: Kysely<Schema>): Promise<void> => {
    const { error } = await new Migrator({ db, provider }).migrateToLatest()
    if (error === undefined) return
    // A newer process may have come first since.
    await refuseNewer(db, dialect)
    throw error instanceof Error ? error : new Error('a migration failed')
  }
  // Kysely takes a lock and a transaction on PostgreSQL, and neither on SQLite.
  if (dialect === 'postgres') await run(kysely)
  else await kysely.connection().execute((held) => inTransaction(held, run))
}

async function inTransaction(
  held: Kysely<Schema>,
  run: (held: Kysely<Schema>) => Promise<void>,
): Promise<void> {
  await sql`begin immediate`.execute(held)
  try {
    await run(held)
    await sql`commit`.execute(held)
  } catch (error) {
    await sql`rollback`.execute(held)
    throw error
  }
}

/**
 * Throws a ProblemError that names the newest migration which this version doesn't know: tables that
 * were made by a newer version are neither read nor written.
 */
export async function refuseNewer(kysely: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const known = Object.keys(await migrations(dialect).getMigrations())
  const newest = (await migrationsDone(kysely, dialect))
    .filter((name) => !known.includes(name))
    .at(-1)
  if (newest === undefined) return
  throw new ProblemError(
    problem(
      503,
      'database-newer',
      'Database of a newer version',
      `This database was written by a newer Sightline (migration ${newest}). Install that version or restore a backup. Nothing was changed.`,
    ),
  )
}

/** The names of the migrations that a database has had, in order; none where it is empty. */
async function migrationsDone(
  kysely: Kysely<Schema>,
  dialect: Dialect,
): Promise<readonly string[]> {
  const table = 'kysely_migration'
  const { rows: tables } = await (
    dialect === 'sqlite'
      ? sql`select 1 from sqlite_master where name = ${table}`
      : sql`select 1 where to_regclass(${table}) is not null`
  ).execute(kysely)
  if (tables.length === 0) return []
  const names = sql<{ readonly name: string }>`select name from ${sql.id(table)} order by name`
  return (await names.execute(kysely)).rows.map(({ name }) => name)
}

/** Every change of the schema, in order. One that has been released is never edited. */
export function migrations(dialect: Dialect): MigrationProvider {
  return {
    getMigrations: () =>
      Promise.resolve({
        '0001-builds': builds(dialect),
        '0002-search': searchMigration(dialect),
        '0003-attestations': attestationMigration(dialect),
        '0004-history': historyMigration(dialect),
        '0005-screens': screensMigration,
        '0006-seeds': seedsMigration,
        '0007-sessions': sessionsMigration,
        '0008-audit-log': auditLogMigration(dialect),
        '0009-token-uses': tokenUsesMigration,
        '0010-decisions': decisionsMigration(dialect),
        '0011-assignments': assignmentsMigration,
        '0012-waivers': waiversMigration,
        '0015-run-reasons': runReasonsMigration,
        '0016-deliveries': deliveriesMigration,
        '0017-build-insights': insightsMigration(dialect),
        '0018-quarantine': quarantineMigration,
        '0019-saved-queries': savedQueriesMigration,
        '0020-rollups': rollupsMigration(dialect),
        '0022-alert-routes': alertRoutesMigration,
        '0023-claims': claimsMigration,
        '0024-walls': wallsMigration,
        '0025-waiver-persons': waiverPersonsMigration,
        '0026-branch-index': branchIndexMigration,
      }),
  }
}
