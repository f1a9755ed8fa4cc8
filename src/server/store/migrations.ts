import type { Migration, MigrationProvider } from 'kysely'
import { attestationMigration } from './attestation-migration.ts'
import type { Dialect } from './dialect.ts'
import { historyMigration } from './history-migration.ts'
import { screensMigration } from './screens-migration.ts'
import { searchMigration } from './search-migration.ts'

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
      }),
  }
}

function builds(dialect: Dialect): Migration {
  const blob = dialect === 'postgres' ? 'bytea' : 'blob'
  return {
    up: async (db) => {
      await db.schema
        .createTable('builds')
        .addColumn('seq', dialect === 'postgres' ? 'bigserial' : 'integer', (column) =>
          dialect === 'postgres' ? column.primaryKey() : column.primaryKey().autoIncrement(),
        )
        .addColumn('build_id', 'text', (column) => column.notNull().unique())
        .addColumn('received_at', 'bigint', (column) => column.notNull())
        .addColumn('tool_type', 'text', (column) => column.notNull())
        .addColumn('tool_version', 'text', (column) => column.notNull())
        .addColumn('agent_version', 'text', (column) => column.notNull())
        .addColumn('readable', 'integer', (column) => column.notNull())
        .addColumn('project', 'text')
        .addColumn('user_name', 'text')
        .addColumn('hostname', 'text')
        .addColumn('outcome', 'text')
        .addColumn('start_time', 'bigint')
        .addColumn('duration_ms', 'bigint')
        .addColumn('message', 'text', (column) => column.notNull())
        .execute()
      await index('builds_received_at', ['received_at', 'seq'])
      await index('builds_start_time', ['start_time'])
      await index('builds_project', ['project', 'start_time'])

      await db.schema
        .createTable('build_attributes')
        .addColumn('build_seq', 'bigint', (column) =>
          column.primaryKey().references('builds.seq').onDelete('cascade'),
        )
        .addColumn('attributes', 'text', (column) => column.notNull())
        .execute()

      await db.schema
        .createTable('event_chunks')
        .addColumn('build_seq', 'bigint', (column) =>
          column.notNull().references('builds.seq').onDelete('cascade'),
        )
        .addColumn('first_id', 'integer', (column) => column.notNull())
        .addColumn('last_id', 'integer', (column) => column.notNull())
        .addColumn('types', 'text', (column) => column.notNull())
        .addColumn('body', blob, (column) => column.notNull())
        .addPrimaryKeyConstraint('event_chunks_key', ['build_seq', 'first_id'])
        .execute()

      await db.schema
        .createTable('removed_builds')
        .addColumn('build_id', 'text', (column) => column.primaryKey())
        .addColumn('seq', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('removed_builds_seq').on('removed_builds').column('seq').execute()

      function index(name: string, columns: string[]): Promise<void> {
        return db.schema.createIndex(name).on('builds').columns(columns).execute()
      }
    },
  }
}
