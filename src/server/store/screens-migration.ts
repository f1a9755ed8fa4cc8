import type { Kysely, Migration } from 'kysely'

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
