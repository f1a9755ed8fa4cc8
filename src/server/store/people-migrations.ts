import { type Kysely, type Migration, sql } from 'kysely'

/** Makes room for screens with a credential of their own, and for what people are told of walls. */
export const screensMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('screens')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('by_user', 'text', (column) => column.notNull())
      .addColumn('secret_hash', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('last_seen_at', 'bigint')
      .execute()
    await db.schema
      .createTable('screen_activations')
      .addColumn('secret_hash', 'text', (column) => column.primaryKey())
      .addColumn('code_hash', 'text', (column) => column.notNull().unique())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('screen_id', 'text')
      .execute()
    await db.schema
      .createTable('alert_tiles')
      .addColumn('tile', 'text', (column) => column.primaryKey())
      .addColumn('is_failing', 'integer', (column) => column.notNull())
      .addColumn('spell', 'text', (column) => column.notNull())
      .addColumn('since', 'bigint', (column) => column.notNull())
      .addColumn('watched_since', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('alerts')
      .addColumn('tile', 'text', (column) => column.notNull())
      .addColumn('spell', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('next_at', 'bigint', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('ended', 'text')
      .addPrimaryKeyConstraint('alerts_key', ['tile', 'spell', 'kind'])
      .execute()
    await db.schema.createIndex('alerts_due').on('alerts').columns(['ended', 'next_at']).execute()
  },
}

/** Makes room for the sessions of people who signed in. */
export const sessionsMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('sessions')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('key_hash', 'text', (column) => column.notNull().unique())
      .addColumn('mode', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('identity', 'text', (column) => column.notNull())
      .addColumn('sealed', 'text')
      .addColumn('provider_session', 'text')
      .addColumn('generation', 'integer', (column) => column.notNull())
      .addColumn('confirmed', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('renewed_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('renewing_until', 'bigint')
      .addColumn('ended_at', 'bigint')
      .execute()
    await db.schema
      .createIndex('sessions_subject')
      .on('sessions')
      .columns(['mode', 'subject'])
      .execute()
    await db.schema
      .createIndex('sessions_provider_session')
      .on('sessions')
      .column('provider_session')
      .execute()
    await db.schema.createIndex('sessions_ended').on('sessions').column('ended_at').execute()
    await db.schema
      .createTable('sign_in_attempts')
      .addColumn('state_hash', 'text', (column) => column.primaryKey())
      .addColumn('browser_hash', 'text', (column) => column.notNull())
      .addColumn('sealed', 'text')
      .addColumn('failure', 'text')
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex('sign_in_attempts_browser')
      .on('sign_in_attempts')
      .column('browser_hash')
      .execute()
    await db.schema
      .createTable('used_logout_tokens')
      .addColumn('id_hash', 'text', (column) => column.primaryKey())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}

/** Makes room for when access tokens were used. */
export const tokenUsesMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('token_uses')
      .addColumn('sha256', 'text', (column) => column.primaryKey())
      .addColumn('last_used_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}

/** Makes room for queries under their names, and for what people searched for. */
export const savedQueriesMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('saved_queries')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('person', 'text', (column) => column.notNull())
      .addColumn('by_user', 'text', (column) => column.notNull())
      .addColumn('is_shared', 'integer', (column) => column.notNull())
      .addColumn('name_scope', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('name_key', 'text', (column) => column.notNull())
      .addColumn('query', 'text', (column) => column.notNull())
      .addColumn('zone', 'text')
      .addColumn('changed_by', 'text', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('deleted_at', 'bigint')
      .execute()
    await db.schema
      .createIndex('saved_queries_name')
      .unique()
      .on('saved_queries')
      .columns(['name_scope', 'name_key'])
      .where(sql.ref('deleted_at'), 'is', null)
      .execute()
    await db.schema
      .createTable('query_runs')
      .addColumn('person', 'text', (column) => column.notNull())
      .addColumn('query_key', 'text', (column) => column.notNull())
      .addColumn('query', 'text', (column) => column.notNull())
      .addColumn('zone', 'text')
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('matches', 'bigint')
      .addColumn('is_complete', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('query_runs_key', ['person', 'query_key'])
      .execute()
    await db.schema
      .createIndex('query_runs_at')
      .on('query_runs')
      .columns(['person', 'at'])
      .execute()
  },
}

/** Makes room for walls that are edited for everybody, with all that they have been. */
export const wallsMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('wall_revisions')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('by_user', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('note', 'text', (column) => column.notNull())
      .addColumn('is_deleted', 'integer', (column) => column.notNull())
      .addColumn('restored', 'integer')
      .addPrimaryKeyConstraint('wall_revisions_key', ['name', 'number'])
      .execute()
  },
}
