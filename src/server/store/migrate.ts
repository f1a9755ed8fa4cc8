import { type Kysely, Migrator, sql } from 'kysely'
import { problem, ProblemError } from '../../protocol/problem.ts'
import { migrations } from './migrations.ts'
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
