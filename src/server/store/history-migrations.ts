import { createHash } from 'node:crypto'
import { type Kysely, type Migration, sql } from 'kysely'
import { tileKey } from '../../protocol/claim.ts'
import { columns, index, table } from './migration-parts.ts'
import type { Dialect, Schema } from './schema.ts'

/** Makes room for recorded evaluations, for waivers, and for what people did. */
export function historyMigration(dialect: Dialect): Migration {
  const blob = dialect === 'postgres' ? 'bytea' : 'blob'
  // Ids are compared by their bytes: they sort by time, and pages go on behind one.
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  return {
    up: async (db: Kysely<unknown>) => {
      await table(
        db,
        'evaluations',
        `id ${id} key, started_at bigint, ended_at bigint, by_user text, package_path text,
        package_name text, sha256 text, repository_url text, scan text, ended text, verdict
        text, satisfied integer, unsatisfied integer, not_applicable integer, unknown integer,
        results integer, unreadable integer, failing text, waived text`,
      ).execute()
      await index(db, 'evaluations', 'package', ['package_path', 'scan', 'id'])
      await index(db, 'evaluations', 'versions', ['package_name', 'id'])
      await index(db, 'evaluations', 'versions_scan', ['package_name', 'scan', 'id'])
      await index(db, 'evaluations', 'scan', ['scan', 'id'])
      await index(db, 'evaluations', 'sha256', ['sha256', 'id'])
      await index(db, 'evaluations', 'by', ['by_user', 'id'])

      await columns(
        db.schema
          .createTable('evaluation_answers')
          .addColumn('evaluation_id', sql.raw(id), (column) =>
            column.primaryKey().references('evaluations.id').onDelete('cascade'),
          ),
        `left_out integer, body ${blob}`,
      ).execute()

      await table(
        db,
        'waivers',
        `id ${id} key, package_path text, package_name text, sha256 text, scan text, policy_uri
        text, reason text, person text, by_user text, created_at bigint, expires_at bigint,
        carried_from text null, ended_at bigint null, ended_by text null`,
      ).execute()
      await index(db, 'waivers', 'package', ['package_path', 'id'])
      await index(db, 'waivers', 'versions', ['package_name', 'id'])

      await table(
        db,
        'actions',
        `id ${id} key, at bigint, by_user text, action text, subject text, detail text, waiver_id
        text null`,
      ).execute()
      await index(db, 'actions', 'subject', ['subject', 'id'])
    },
  }
}

/**
 * Says of each action who did it in what capacity, from where and how it came out, and has the
 * database refuse that an action is changed, or removed outside a sweep.
 */
export function auditLogMigration(dialect: Dialect): Migration {
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
        await index(db, 'actions', column, [column, 'id'])
      }
      await table(db, 'action_sweeps', 'keep_from bigint').execute()
      for (const statement of dialect === 'postgres' ? guardsOnPostgres : guardsOnSqlite) {
        await sql.raw(statement).execute(db)
      }
    },
  }
}

/** Keeps what was read of builds' events, so that each is read once for everybody. */
export function insightsMigration(dialect: Dialect): Migration {
  const blob = dialect === 'postgres' ? 'bytea' : 'blob'
  return {
    up: async (db: Kysely<unknown>) => {
      await table(
        db,
        'build_insights',
        `build_id text, kind text, version integer, body ${blob}, read_at bigint`,
      )
        .addPrimaryKeyConstraint('build_insights_key', ['build_id', 'kind'])
        .execute()
      await index(db, 'build_insights', 'age', ['read_at'])
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
export function decisionsMigration(dialect: Dialect): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      await table(
        db,
        'decisions',
        `id text key, at bigint, by_user text, subject_key text, follows text, subject text,
        board text null, package_path text null, package_name text null, scan text null, action
        text, reason text, verdict text null, content text null, runs integer, waivers text,
        concerns text, places text`,
      )
        .addUniqueConstraint('decisions_chain', ['subject_key', 'follows'])
        .execute()
      for (const column of ['board', 'package_path', 'package_name']) {
        await index(db, 'decisions', column, [column, 'id'])
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

/** Makes room for who looks after what fails on boards, until when. */
export const assignmentsMigration: Migration = {
  up: async (db: Kysely<unknown>) => {
    await table(
      db,
      'assignments',
      `board text, cell text, assignee text, note text, due_at bigint null, by_user text,
      changed_at bigint`,
    )
      .addPrimaryKeyConstraint('assignments_key', ['board', 'cell'])
      .execute()
  },
}

/** Waivers with a ticket, for versions, given at once, renewed, and approved by somebody else. */
export const waiversMigration: Migration = {
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

/** Who gave a waiver, beside the name: two may share one. */
export const waiverPersonsMigration: Migration = {
  up: async (db) => {
    await db.schema.alterTable('waivers').addColumn('by_person', 'text').execute()
  },
}

/** Why a run came out as it did; of runs that are there already it is in their answers alone. */
export const runReasonsMigration: Migration = {
  up: async (db) => {
    await db.schema.alterTable('evaluations').addColumn('reasons', 'text').execute()
  },
}

/** Makes room for tests that are quarantined. */
export const quarantineMigration: Migration = {
  up: async (db) => {
    await table(
      db,
      'quarantine',
      `id text key, test_key text, project text null, task text, class_name text null, name text,
      reason text, until_at bigint, by_user text, created_at bigint, ended_at bigint null,
      ended_by text null`,
    ).execute()
    for (const column of ['test_key', 'until_at']) {
      await index(db, 'quarantine', column, [column])
    }
  },
}

/** Makes room for who is on tiles that fail, and which of them sleep. */
export const claimsMigration: Migration = {
  up: async (db) => {
    await table(
      db,
      'claims',
      `tile_key text, kind text, tile text, by_user text, created_at bigint, reason text null,
      until_at bigint null`,
    )
      .addPrimaryKeyConstraint('claims_key', ['tile_key', 'kind'])
      .execute()
    await index(db, 'claims', 'created_at', ['created_at'])
  },
}

/** Of which failure it was said that somebody is on it. */
export const claimFailuresMigration: Migration = {
  up: async (db) => {
    await db.schema.alterTable('claims').addColumn('failing_since', 'bigint').execute()
  },
}

/** To whom a message goes, and what it says for those who don't read Slack's format. */
export const alertRoutesMigration: Migration = {
  up: async (db) => {
    await db.schema
      .alterTable('alerts')
      .addColumn('route', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    await db.schema.alterTable('alerts').addColumn('message', 'text').execute()
  },
}

/** When a message was last tried, and why it didn't get through. */
export const deliveriesMigration: Migration = {
  up: async (db) => {
    await db.schema.alterTable('alerts').addColumn('tried_at', 'bigint').execute()
    await db.schema.alterTable('alerts').addColumn('reason', 'text').execute()
  },
}

/** Who hasn't got a mail that others have. */
export const alertRecipientsMigration: Migration = {
  up: async (db) => {
    await db.schema.alterTable('alerts').addColumn('left_to', 'text').execute()
  },
}

/** Claims of a project's tile in no case of letters, as its key has become; of several spellings the newest is kept. */
export const claimKeysMigration: Migration = {
  up: async (db: Kysely<Schema>) => {
    for (const claim of await db
      .selectFrom('claims')
      .selectAll()
      .orderBy('created_at', 'desc')
      .execute()) {
      const [query = '', branch] = claim.tile.split('\n')
      const tile = tileKey(query, branch)
      if (tile === claim.tile) continue
      await db
        .deleteFrom('claims')
        .where('tile_key', '=', claim.tile_key)
        .where('kind', '=', claim.kind)
        .execute()
      const tile_key = createHash('sha256').update(tile).digest('hex')
      await db
        .insertInto('claims')
        .values({ ...claim, tile, tile_key })
        .onConflict((conflict) =>
          conflict
            .columns(['tile_key', 'kind'])
            .doUpdateSet({ ...claim, tile, tile_key })
            .where('claims.created_at', '<', claim.created_at),
        )
        .execute()
    }
  },
}
