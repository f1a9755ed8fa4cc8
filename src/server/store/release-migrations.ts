import { type Kysely, type Migration, sql } from 'kysely'
import type { Dialect } from './schema.ts'

/** Makes room for release decisions, which the database never lets anybody change. */
export function decisionsMigration(dialect: Dialect): Migration {
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

/** Makes room for who looks after what fails on boards, until when. */
export const assignmentsMigration: Migration = {
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
    await db.schema
      .createTable('quarantine')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('test_key', 'text', (column) => column.notNull())
      .addColumn('project', 'text')
      .addColumn('task', 'text', (column) => column.notNull())
      .addColumn('class_name', 'text')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('until_at', 'bigint', (column) => column.notNull())
      .addColumn('by_user', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('ended_at', 'bigint')
      .addColumn('ended_by', 'text')
      .execute()
    for (const column of ['test_key', 'until_at']) {
      await db.schema
        .createIndex(`quarantine_${column}`)
        .on('quarantine')
        .columns([column])
        .execute()
    }
  },
}

/** Makes room for who is on tiles that fail, and which of them sleep. */
export const claimsMigration: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('claims')
      .addColumn('tile_key', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('tile', 'text', (column) => column.notNull())
      .addColumn('by_user', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('reason', 'text')
      .addColumn('until_at', 'bigint')
      .addPrimaryKeyConstraint('claims_key', ['tile_key', 'kind'])
      .execute()
    await db.schema.createIndex('claims_created_at').on('claims').columns(['created_at']).execute()
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
