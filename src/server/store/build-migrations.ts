import { type Kysely, type Migration, sql } from 'kysely'
import type { Dialect } from './schema.ts'
import { textKey } from './search-terms.ts'
import { columns, index, table } from './migration-parts.ts'

/** Makes room for builds and their events. */
export function builds(dialect: Dialect): Migration {
  const blob = dialect === 'postgres' ? 'bytea' : 'blob'
  return {
    up: async (db) => {
      await columns(
        db.schema
          .createTable('builds')
          .addColumn('seq', dialect === 'postgres' ? 'bigserial' : 'integer', (column) =>
            dialect === 'postgres' ? column.primaryKey() : column.primaryKey().autoIncrement(),
          ),
        `build_id text unique, received_at bigint, tool_type text, tool_version text,
        agent_version text, readable integer, project text null, user_name text null, hostname
        text null, outcome text null, start_time bigint null, duration_ms bigint null, message
        text`,
      ).execute()
      await index(db, 'builds', 'received_at', ['received_at', 'seq'])
      await index(db, 'builds', 'start_time', ['start_time'])
      await index(db, 'builds', 'project', ['project', 'start_time'])

      await columns(
        db.schema
          .createTable('build_attributes')
          .addColumn('build_seq', 'bigint', (column) =>
            column.primaryKey().references('builds.seq').onDelete('cascade'),
          ),
        'attributes text',
      ).execute()

      await columns(
        db.schema
          .createTable('event_chunks')
          .addColumn('build_seq', 'bigint', (column) =>
            column.notNull().references('builds.seq').onDelete('cascade'),
          ),
        `first_id integer, last_id integer, types text, body ${blob}`,
      )
        .addPrimaryKeyConstraint('event_chunks_key', ['build_seq', 'first_id'])
        .execute()

      await table(db, 'removed_builds', 'build_id text key, seq bigint').execute()
      await index(db, 'removed_builds', 'seq', ['seq'])
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
  const text = dialect === 'postgres' ? 'text collate "C"' : 'text'
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
        .addColumn('tool_key', sql.raw(text), (column) => column.notNull().defaultTo(''))
        .execute()
      await writeToolKeys(db)
      await columns(
        db.schema
          .createTable('build_facts')
          .addColumn('build_seq', integer, (column) =>
            column.primaryKey().references('builds.seq').onDelete('cascade'),
          ),
        'facts text',
      ).execute()
      await columns(
        db.schema
          .createTable('search_terms')
          .addColumn('id', dialect === 'postgres' ? 'bigserial' : 'integer', (column) =>
            column.primaryKey(),
          ),
        `text ${text} unique`,
      ).execute()
      // No foreign keys: at 15 rows to a build, checking them costs more than writing them.
      const terms = table(
        db,
        'build_terms',
        `term ${integer}, build_seq ${integer}`,
      ).addPrimaryKeyConstraint('build_terms_key', ['term', 'build_seq'])
      await (dialect === 'postgres' ? terms : terms.modifyEnd(sql`without rowid`)).execute()
      await index(db, 'build_terms', 'build', ['build_seq'])

      await table(
        db,
        'start_blocks',
        `block ${integer} key, earliest bigint, latest bigint`,
      ).execute()
      await table(db, 'search_backfill', `upto ${integer}`).execute()
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
      await table(
        db,
        'build_points',
        `build_seq ${integer} key, start_time bigint, outcome integer, duration_ms bigint null,
        project ${integer}, branch ${integer}, user_name ${integer}, tool ${integer}, requested
        ${integer}, failure ${integer}, cache_hits ${integer} null, cacheable ${integer} null`,
      ).execute()
      await index(db, 'build_points', 'start', ['start_time', 'build_seq'])
      await columns(
        db.schema
          .createTable('point_texts')
          .addColumn('id', dialect === 'postgres' ? 'bigserial' : 'integer', (column) =>
            column.primaryKey(),
          ),
        'kind text, text text',
      )
        .addUniqueConstraint('point_texts_text', ['kind', 'text'])
        .execute()
      const whole = table(
        db,
        'build_rollups',
        `series ${integer}, bucket ${integer}, a ${integer}, b ${integer}, tool ${integer},
        outcome ${integer}, builds ${integer}, durations ${blob}, cache_hits bigint, cacheable
        bigint`,
      ).addPrimaryKeyConstraint('build_rollups_key', [
        'series',
        'a',
        'bucket',
        'b',
        'tool',
        'outcome',
      ])
      await (dialect === 'postgres' ? whole : whole.modifyEnd(sql`without rowid`)).execute()
      await table(db, 'point_backfill', `upto ${integer}`).execute()
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
      await columns(
        db.schema
          .createTable('attestations')
          .addColumn('seq', dialect === 'postgres' ? 'bigserial' : 'integer', (column) =>
            dialect === 'postgres' ? column.primaryKey() : column.primaryKey().autoIncrement(),
          ),
        `attestation_id text unique, package_path text, digest text, repository_url text,
        instance text, predicate_type text, sourced_from_uri text null, created_at bigint,
        envelope text`,
      ).execute()
      await index(db, 'attestations', 'package', ['package_path', 'digest', 'repository_url'])
      await table(db, 'signing_keys', 'name text key, private_pem text').execute()
    },
  }
}

/** Notes what the database was begun with, and whether all of it is there. */
export const seedsMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await table(db, 'seeds', 'name text key, is_whole integer').execute()
  },
}
