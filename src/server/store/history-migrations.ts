import { type Kysely, type Migration, sql } from 'kysely'
import type { Dialect } from './schema.ts'

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

/** Keeps what was read of builds' events, so that each is read once for everybody. */
export function insightsMigration(dialect: Dialect): Migration {
  const blob = dialect === 'postgres' ? 'bytea' : 'blob'
  return {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('build_insights')
        .addColumn('build_id', 'text', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('version', 'integer', (column) => column.notNull())
        .addColumn('body', blob, (column) => column.notNull())
        .addColumn('read_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('build_insights_key', ['build_id', 'kind'])
        .execute()
      await db.schema
        .createIndex('build_insights_age')
        .on('build_insights')
        .columns(['read_at'])
        .execute()
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
