import type { Kysely, Migration } from 'kysely'
import type { Dialect } from './dialect.ts'

/** Makes room for signed attestations, and for the key they are signed with. */
export function attestationMigration(dialect: Dialect): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('attestations')
        .addColumn('seq', dialect === 'postgres' ? 'bigserial' : 'integer', (column) =>
          dialect === 'postgres' ? column.primaryKey() : column.primaryKey().autoIncrement(),
        )
        .addColumn('attestation_id', 'text', (column) => column.notNull().unique())
        .addColumn('package_path', 'text', (column) => column.notNull())
        .addColumn('digest', 'text', (column) => column.notNull())
        .addColumn('repository_url', 'text', (column) => column.notNull())
        .addColumn('instance', 'text', (column) => column.notNull())
        .addColumn('predicate_type', 'text', (column) => column.notNull())
        .addColumn('sourced_from_uri', 'text')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('envelope', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createIndex('attestations_package')
        .on('attestations')
        .columns(['package_path', 'digest', 'repository_url'])
        .execute()
      await db.schema
        .createTable('signing_keys')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('private_pem', 'text', (column) => column.notNull())
        .execute()
    },
  }
}
