import { type Kysely, type Migration, sql } from 'kysely'
import type { Dialect } from './dialect.ts'

/** Makes room for recorded evaluations, for waivers, and for what people did. */
export function historyMigration(dialect: Dialect): Migration {
  const blob = dialect === 'postgres' ? 'bytea' : 'blob'
  // Ids are compared by their bytes: they sort by time, and pages go on behind one.
  const id = dialect === 'postgres' ? sql`text collate "C"` : sql`text`
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('evaluations')
        .addColumn('id', id, (column) => column.primaryKey())
        .addColumn('started_at', 'bigint', (column) => column.notNull())
        .addColumn('ended_at', 'bigint', (column) => column.notNull())
        .addColumn('by_user', 'text', (column) => column.notNull())
        .addColumn('package_path', 'text', (column) => column.notNull())
        .addColumn('package_name', 'text', (column) => column.notNull())
        .addColumn('sha256', 'text', (column) => column.notNull())
        .addColumn('repository_url', 'text', (column) => column.notNull())
        .addColumn('scan', 'text', (column) => column.notNull())
        .addColumn('ended', 'text', (column) => column.notNull())
        .addColumn('verdict', 'text', (column) => column.notNull())
        .addColumn('satisfied', 'integer', (column) => column.notNull())
        .addColumn('unsatisfied', 'integer', (column) => column.notNull())
        .addColumn('not_applicable', 'integer', (column) => column.notNull())
        .addColumn('unknown', 'integer', (column) => column.notNull())
        .addColumn('results', 'integer', (column) => column.notNull())
        .addColumn('unreadable', 'integer', (column) => column.notNull())
        .addColumn('failing', 'text', (column) => column.notNull())
        .addColumn('waived', 'text', (column) => column.notNull())
        .execute()
      await index('evaluations', 'package', ['package_path', 'scan', 'id'])
      await index('evaluations', 'versions', ['package_name', 'id'])
      await index('evaluations', 'versions_scan', ['package_name', 'scan', 'id'])
      await index('evaluations', 'scan', ['scan', 'id'])
      await index('evaluations', 'sha256', ['sha256', 'id'])
      await index('evaluations', 'by', ['by_user', 'id'])

      await db.schema
        .createTable('evaluation_answers')
        .addColumn('evaluation_id', id, (column) =>
          column.primaryKey().references('evaluations.id').onDelete('cascade'),
        )
        .addColumn('left_out', 'integer', (column) => column.notNull())
        .addColumn('body', blob, (column) => column.notNull())
        .execute()

      await db.schema
        .createTable('waivers')
        .addColumn('id', id, (column) => column.primaryKey())
        .addColumn('package_path', 'text', (column) => column.notNull())
        .addColumn('package_name', 'text', (column) => column.notNull())
        .addColumn('sha256', 'text', (column) => column.notNull())
        .addColumn('scan', 'text', (column) => column.notNull())
        .addColumn('policy_uri', 'text', (column) => column.notNull())
        .addColumn('reason', 'text', (column) => column.notNull())
        .addColumn('person', 'text', (column) => column.notNull())
        .addColumn('by_user', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .addColumn('carried_from', 'text')
        .addColumn('ended_at', 'bigint')
        .addColumn('ended_by', 'text')
        .execute()
      await index('waivers', 'package', ['package_path', 'id'])
      await index('waivers', 'versions', ['package_name', 'id'])

      await db.schema
        .createTable('actions')
        .addColumn('id', id, (column) => column.primaryKey())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('by_user', 'text', (column) => column.notNull())
        .addColumn('action', 'text', (column) => column.notNull())
        .addColumn('subject', 'text', (column) => column.notNull())
        .addColumn('detail', 'text', (column) => column.notNull())
        .addColumn('waiver_id', 'text')
        .execute()
      await index('actions', 'subject', ['subject', 'id'])

      function index(table: string, name: string, columns: string[]): Promise<void> {
        return db.schema.createIndex(`${table}_${name}`).on(table).columns(columns).execute()
      }
    },
  }
}
