import { type Kysely, type Migration, type MigrationProvider, sql } from 'kysely'
import type { Dialect } from './schema.ts'
import { textKey } from './search-terms.ts'

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
      }),
  }
}

/** Why a run came out as it did; of runs that are there already it is in their answers alone. */
const runReasonsMigration: Migration = {
  up: async (db) => {
    await db.schema.alterTable('evaluations').addColumn('reasons', 'text').execute()
  },
}

/** When a message was last tried, and why it didn't get through. */
const deliveriesMigration: Migration = {
  up: async (db) => {
    await db.schema.alterTable('alerts').addColumn('tried_at', 'bigint').execute()
    await db.schema.alterTable('alerts').addColumn('reason', 'text').execute()
  },
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

/** Makes room for signed attestations, and for the key they are signed with. */
function attestationMigration(dialect: Dialect): Migration {
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
const seedsMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('seeds')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('is_whole', 'integer', (column) => column.notNull())
      .execute()
  },
}

/** Makes room for who looks after what fails on boards, until when. */
const assignmentsMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('assignments')
      .addColumn('board', 'text', (column) => column.notNull())
      .addColumn('cell', 'text', (column) => column.notNull())
      .addColumn('assignee', 'text', (column) => column.notNull())
      .addColumn('note', 'text', (column) => column.notNull())
      .addColumn('due_at', 'bigint')
      .addColumn('by_user', 'text', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('assignments_key', ['board', 'cell'])
      .execute()
  },
}

/** Waivers with a ticket, for versions, given at once, renewed, and approved by somebody else. */
const waiversMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    for (const name of [
      'from_version',
      'until_version',
      'ticket',
      'group_id',
      'renews',
      'renewed_by',
      'approved_by',
    ]) {
      await db.schema.alterTable('waivers').addColumn(name, 'text').execute()
    }
    await db.schema.alterTable('waivers').addColumn('approved_at', 'bigint').execute()
    await db.schema
      .alterTable('waivers')
      .addColumn('needs_approval', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}

/** Makes room for when access tokens were used. */
const tokenUsesMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('token_uses')
      .addColumn('sha256', 'text', (column) => column.primaryKey())
      .addColumn('last_used_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}

/** Makes room for the sessions of people who signed in. */
const sessionsMigration: Migration = {
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

/** Makes room for screens with a credential of their own, and for what people are told of walls. */
const screensMigration: Migration = {
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

/** Makes room for recorded evaluations, for waivers, and for what people did. */
function historyMigration(dialect: Dialect): Migration {
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

/**
 * Says of each action who did it in what capacity, from where and how it came out, and has the
 * database refuse that an action is changed, or removed outside a sweep.
 */
function auditLogMigration(dialect: Dialect): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      const add = (name: string, type: 'text' | 'bigint' | 'integer', before?: string | number) =>
        db.schema
          .alterTable('actions')
          .addColumn(name, type, (column) =>
            before === undefined ? column : column.notNull().defaultTo(before),
          )
          .execute()
      await add('actor_kind', 'text', 'person')
      await add('session_id', 'text')
      await add('outcome', 'text', 'done')
      await add('from_address', 'text')
      await add('times', 'integer', 1)
      await add('last_at', 'bigint')
      for (const column of ['by_user', 'actor_kind', 'action', 'outcome']) {
        await db.schema
          .createIndex(`actions_${column}`)
          .on('actions')
          .columns([column, 'id'])
          .execute()
      }
      await db.schema
        .createTable('action_sweeps')
        .addColumn('keep_from', 'bigint', (column) => column.notNull())
        .execute()
      for (const statement of dialect === 'postgres' ? guardsOnPostgres : guardsOnSqlite) {
        await sql.raw(statement).execute(db)
      }
    },
  }
}

/** All but how often it happened. */
const unchanging =
  'id, at, by_user, actor_kind, session_id, action, subject, detail, outcome, from_address, waiver_id'
const isSwept = 'exists (select 1 from action_sweeps where keep_from > old.at)'

const guardsOnSqlite = [
  `create trigger actions_unchanged before update of ${unchanging} on actions
   begin select raise(abort, 'an audited action is never changed'); end`,
  `create trigger actions_kept before delete on actions when not ${isSwept}
   begin select raise(abort, 'an audited action is removed by its age only'); end`,
]

const guardsOnPostgres = [
  `create function refuse_change_of_action() returns trigger language plpgsql as $$
   begin raise exception 'an audited action is never changed'; end $$`,
  `create function refuse_removal_of_action() returns trigger language plpgsql as $$
   begin
     if tg_op = 'DELETE' then
       if ${isSwept} then return old; end if;
     end if;
     raise exception 'an audited action is removed by its age only';
   end $$`,
  `create trigger actions_unchanged before update of ${unchanging} on actions
   for each row execute function refuse_change_of_action()`,
  `create trigger actions_kept before delete on actions
   for each row execute function refuse_removal_of_action()`,
  `create trigger actions_not_truncated before truncate on actions
   for each statement execute function refuse_removal_of_action()`,
]

/** Makes room for release decisions, which the database never lets anybody change. */
function decisionsMigration(dialect: Dialect): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('decisions')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('by_user', 'text', (column) => column.notNull())
        .addColumn('subject_key', 'text', (column) => column.notNull())
        .addColumn('follows', 'text', (column) => column.notNull())
        .addColumn('subject', 'text', (column) => column.notNull())
        .addColumn('board', 'text')
        .addColumn('package_path', 'text')
        .addColumn('package_name', 'text')
        .addColumn('scan', 'text')
        .addColumn('action', 'text', (column) => column.notNull())
        .addColumn('reason', 'text', (column) => column.notNull())
        .addColumn('verdict', 'text')
        .addColumn('content', 'text')
        .addColumn('runs', 'integer', (column) => column.notNull())
        .addColumn('waivers', 'text', (column) => column.notNull())
        .addColumn('concerns', 'text', (column) => column.notNull())
        .addColumn('places', 'text', (column) => column.notNull())
        .addUniqueConstraint('decisions_chain', ['subject_key', 'follows'])
        .execute()
      for (const column of ['board', 'package_path', 'package_name']) {
        await db.schema
          .createIndex(`decisions_${column}`)
          .on('decisions')
          .columns([column, 'id'])
          .execute()
      }
      for (const [table, what, of] of [
        ['decision_runs', 'evaluation_id', 'evaluations.id'],
        ['decision_waivers', 'waiver_id', 'waivers.id'],
      ] as const) {
        await db.schema
          .createTable(table)
          .addColumn(what, 'text', (column) => column.notNull().references(of))
          .addColumn('decision_id', 'text', (column) => column.notNull().references('decisions.id'))
          .addPrimaryKeyConstraint(`${table}_key`, [what, 'decision_id'])
          .execute()
      }
      const guards =
        dialect === 'postgres'
          ? [
              `create function refuse_change_of_decision() returns trigger language plpgsql as $$
               begin raise exception 'a decision is never changed'; end $$`,
              `create trigger decisions_unchanged before update or delete on decisions
               for each row execute function refuse_change_of_decision()`,
            ]
          : (['update', 'delete'] as const).map(
              (how) => `create trigger decisions_no_${how} before ${how} on decisions
               begin select raise(abort, 'a decision is never changed'); end`,
            )
      for (const statement of guards) await sql.raw(statement).execute(db)
    },
  }
}

/**
 * Makes builds searchable: their facts whole, the texts they are found by, and what is compared.
 * What builds of an earlier release are found by is left to whoever can read their events: it is
 * only noted how many there are.
 */
function searchMigration(dialect: Dialect): Migration {
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
