import { type Kysely, type Migration, sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import { textKey } from './search-terms.ts'

/**
 * Makes builds searchable: their facts whole, the texts they are found by, and what is compared.
 * What builds of an earlier release are found by is left to whoever can read their events: it is
 * only noted how many there are.
 */
export function searchMigration(dialect: Dialect): Migration {
  const integer = dialect === 'postgres' ? 'bigint' : 'integer'
  // Texts are compared by their bytes: prefixes are looked up as ranges.
  const text = dialect === 'postgres' ? sql`text collate "C"` : sql`text`
  return {
    // The rows of the migrations before are not those of the schema: they have no type here.
    up: async (db: Kysely<unknown>) => {
      await db.schema.dropIndex('builds_project').execute()
      await db.schema.dropIndex('builds_start_time').execute()
      for (const column of ['project', 'user_name', 'hostname']) {
        await db.schema.alterTable('builds').dropColumn(column).execute()
      }
      await db.schema
        .alterTable('builds')
        .addColumn('tool_key', text, (column) => column.notNull().defaultTo(''))
        .execute()
      await writeToolKeys(db)
      await db.schema
        .createTable('build_facts')
        .addColumn('build_seq', integer, (column) =>
          column.primaryKey().references('builds.seq').onDelete('cascade'),
        )
        .addColumn('facts', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('search_terms')
        .addColumn('id', dialect === 'postgres' ? 'bigserial' : 'integer', (column) =>
          column.primaryKey(),
        )
        .addColumn('text', text, (column) => column.notNull().unique())
        .execute()
      // No foreign keys: at 15 rows to a build, checking them costs more than writing them.
      const terms = db.schema
        .createTable('build_terms')
        .addColumn('term', integer, (column) => column.notNull())
        .addColumn('build_seq', integer, (column) => column.notNull())
        .addPrimaryKeyConstraint('build_terms_key', ['term', 'build_seq'])
      await (dialect === 'postgres' ? terms : terms.modifyEnd(sql`without rowid`)).execute()
      await db.schema
        .createIndex('build_terms_build')
        .on('build_terms')
        .column('build_seq')
        .execute()

      await db.schema
        .createTable('start_blocks')
        .addColumn('block', integer, (column) => column.primaryKey())
        .addColumn('earliest', 'bigint', (column) => column.notNull())
        .addColumn('latest', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('search_backfill')
        .addColumn('upto', integer, (column) => column.notNull())
        .execute()
      await sql`insert into search_backfill select coalesce(max(seq), 0) from builds`.execute(db)
    },
  }
}

/** By JavaScript, whose lower case is the one that queries are read with. */
async function writeToolKeys(db: Kysely<unknown>): Promise<void> {
  const tools = await sql<{ tool_type: string }>`select distinct tool_type from builds`.execute(db)
  for (const { tool_type } of tools.rows) {
    const key = textKey(tool_type)
    await sql`update builds set tool_key = ${key} where tool_type = ${tool_type}`.execute(db)
  }
}
