import { type Kysely, type Migration, sql } from 'kysely'
import type { Dialect } from './schema.ts'
import { textKey } from './search-terms.ts'

/** Makes room for builds and their events. */
export function builds(dialect: Dialect): Migration {
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

/**
 * Counts builds: a narrow row for each, and how many there are of each kind in each hour and day. What
 * builds of an earlier release are counted under is left to whoever can read their events.
 */
export function rollupsMigration(dialect: Dialect): Migration {
  const integer = dialect === 'postgres' ? 'bigint' : 'integer'
  const blob = dialect === 'postgres' ? 'bytea' : 'blob'
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('build_points')
        .addColumn('build_seq', integer, (column) => column.primaryKey())
        .addColumn('start_time', 'bigint', (column) => column.notNull())
        .addColumn('outcome', 'integer', (column) => column.notNull())
        .addColumn('duration_ms', 'bigint')
        .addColumn('project', integer, (column) => column.notNull())
        .addColumn('branch', integer, (column) => column.notNull())
        .addColumn('user_name', integer, (column) => column.notNull())
        .addColumn('tool', integer, (column) => column.notNull())
        .addColumn('requested', integer, (column) => column.notNull())
        .addColumn('failure', integer, (column) => column.notNull())
        .addColumn('cache_hits', integer)
        .addColumn('cacheable', integer)
        .execute()
      await db.schema
        .createIndex('build_points_start')
        .on('build_points')
        .columns(['start_time', 'build_seq'])
        .execute()
      await db.schema
        .createTable('point_texts')
        .addColumn('id', dialect === 'postgres' ? 'bigserial' : 'integer', (column) =>
          column.primaryKey(),
        )
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull())
        .addUniqueConstraint('point_texts_text', ['kind', 'text'])
        .execute()
      const whole = db.schema
        .createTable('build_rollups')
        .addColumn('series', integer, (column) => column.notNull())
        .addColumn('bucket', integer, (column) => column.notNull())
        .addColumn('a', integer, (column) => column.notNull())
        .addColumn('b', integer, (column) => column.notNull())
        .addColumn('tool', integer, (column) => column.notNull())
        .addColumn('outcome', integer, (column) => column.notNull())
        .addColumn('builds', integer, (column) => column.notNull())
        .addColumn('durations', blob, (column) => column.notNull())
        .addColumn('cache_hits', 'bigint', (column) => column.notNull())
        .addColumn('cacheable', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('build_rollups_key', [
          'series',
          'a',
          'bucket',
          'b',
          'tool',
          'outcome',
        ])
      await (dialect === 'postgres' ? whole : whole.modifyEnd(sql`without rowid`)).execute()
      await db.schema
        .createTable('point_backfill')
        .addColumn('upto', integer, (column) => column.notNull())
        .execute()
      await sql`insert into point_backfill select coalesce(max(seq), 0) from builds`.execute(db)
    },
  }
}

/** Looks up what is counted of projects by the branch, beside by the project. */
export const branchIndexMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await sql`create index build_rollups_pairs on build_rollups (series, b, a, bucket)
      where b <> 0`.execute(db)
  },
}

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

/** Notes what the database was begun with, and whether all of it is there. */
export const seedsMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('seeds')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('is_whole', 'integer', (column) => column.notNull())
      .execute()
  },
}
