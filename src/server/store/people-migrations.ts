import { type Kysely, type Migration, sql } from 'kysely'
import { index, table } from './migration-parts.ts'

/** Makes room for screens with a credential of their own, and for what people are told of walls. */
export const screensMigration: Migration = {
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
export const sessionsMigration: Migration = {
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
export const tokenUsesMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await table(db, 'token_uses', 'sha256 text key, last_used_at bigint').execute()
  },
}

/** Makes room for queries under their names, and for what people searched for. */
export const savedQueriesMigration: Migration = {
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
export const wallsMigration: Migration = {
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
