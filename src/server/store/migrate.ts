import { type Kysely, type Migration, type MigrationProvider, Migrator, sql } from 'kysely'
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
  alertRecipientsMigration,
  alertRoutesMigration,
  assignmentsMigration,
  auditLogMigration,
  claimFailuresMigration,
  claimKeysMigration,
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
import { index, table } from './migration-parts.ts'
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
  const ofKysely = 'kysely_migration'
  const { rows: tables } = await (
    dialect === 'sqlite'
      ? sql`select 1 from sqlite_master where name = ${ofKysely}`
      : sql`select 1 where to_regclass(${ofKysely}) is not null`
  ).execute(kysely)
  if (tables.length === 0) return []
  const names = sql<{ readonly name: string }>`select name from ${sql.id(ofKysely)} order by name`
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
        '0027-claim-failures': claimFailuresMigration,
        '0028-alert-recipients': alertRecipientsMigration,
        '0029-claim-keys': claimKeysMigration,
      }),
  }
}

/** Makes room for screens with a credential of their own, and for what people are told of walls. */
const screensMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await table(
      db,
      'screens',
      `id text key, name text, by_user text, secret_hash text null, created_at bigint, expires_at
      bigint, last_seen_at bigint null`,
    ).execute()
    await table(
      db,
      'screen_activations',
      'secret_hash text key, code_hash text unique, expires_at bigint, screen_id text null',
    ).execute()
    await table(
      db,
      'alert_tiles',
      'tile text key, is_failing integer, spell text, since bigint, watched_since bigint',
    ).execute()
    await table(
      db,
      'alerts',
      `tile text, spell text, kind text, text text, created_at bigint, next_at bigint, attempts
      integer, ended text null`,
    )
      .addPrimaryKeyConstraint('alerts_key', ['tile', 'spell', 'kind'])
      .execute()
    await index(db, 'alerts', 'due', ['ended', 'next_at'])
  },
}

/** Makes room for the sessions of people who signed in. */
const sessionsMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await table(
      db,
      'sessions',
      `id text key, key_hash text unique, mode text, subject text, identity text, sealed text
      null, provider_session text null, generation integer, confirmed integer, created_at
      bigint, renewed_at bigint, expires_at bigint, renewing_until bigint null, ended_at bigint
      null`,
    ).execute()
    await index(db, 'sessions', 'subject', ['mode', 'subject'])
    await index(db, 'sessions', 'provider_session', ['provider_session'])
    await index(db, 'sessions', 'ended', ['ended_at'])
    await table(
      db,
      'sign_in_attempts',
      `state_hash text key, browser_hash text, sealed text null, failure text null, expires_at
      bigint`,
    ).execute()
    await index(db, 'sign_in_attempts', 'browser', ['browser_hash'])
    await table(db, 'used_logout_tokens', 'id_hash text key, expires_at bigint').execute()
  },
}

/** Makes room for when access tokens were used. */
const tokenUsesMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await table(db, 'token_uses', 'sha256 text key, last_used_at bigint').execute()
  },
}

/** Makes room for queries under their names, and for what people searched for. */
const savedQueriesMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await table(
      db,
      'saved_queries',
      `id text key, person text, by_user text, is_shared integer, name_scope text, name text,
      name_key text, query text, zone text null, changed_by text, changed_at bigint, version
      integer, deleted_at bigint null`,
    ).execute()
    await db.schema
      .createIndex('saved_queries_name')
      .unique()
      .on('saved_queries')
      .columns(['name_scope', 'name_key'])
      .where(sql.ref('deleted_at'), 'is', null)
      .execute()
    await table(
      db,
      'query_runs',
      `person text, query_key text, query text, zone text null, at bigint, matches bigint null,
      is_complete integer`,
    )
      .addPrimaryKeyConstraint('query_runs_key', ['person', 'query_key'])
      .execute()
    await index(db, 'query_runs', 'at', ['person', 'at'])
  },
}

/** Makes room for walls that are edited for everybody, with all that they have been. */
const wallsMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await table(
      db,
      'wall_revisions',
      `name text, number integer, body text, by_user text, at bigint, note text, is_deleted
      integer, restored integer null`,
    )
      .addPrimaryKeyConstraint('wall_revisions_key', ['name', 'number'])
      .execute()
  },
}
