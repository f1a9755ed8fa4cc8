import { createHash } from 'node:crypto'
import {
  mostQuarantined,
  type NewQuarantine,
  type QuarantinedTest,
  testKey,
} from '../../protocol/quarantine.ts'
import { fullTestName, type TestId } from '../../protocol/test-insight.ts'
import { type Act, addAction, inTurn, sortableId, type ToldAct } from './actions.ts'
import type { Database } from './database.ts'
import { type Schema, storableText } from './schema.ts'

/** The tests that are quarantined at a time (epoch ms), the first to end first. */
export async function listQuarantined(
  { kysely }: Database,
  now: number,
): Promise<QuarantinedTest[]> {
  const rows = await kysely
    .selectFrom('quarantine')
    .selectAll()
    .where('ended_at', 'is', null)
    .where('until_at', '>', now)
    .orderBy('until_at')
    .orderBy('id')
    .limit(mostQuarantined)
    .execute()
  return rows.map(quarantinedOf)
}

/**
 * Quarantines a test in place of what was said of it before, and notes who did; both or nothing. Sent again, as its answer was
 * lost, it is done. Undefined where there are too many others already.
 */
export async function quarantineTest(
  database: Database,
  { test, reason, until }: NewQuarantine,
  /** With the sentence for the audit log. */
  act: ToldAct,
): Promise<QuarantinedTest | undefined> {
  const row: Row = {
    id: sortableId(act.at),
    test_key: keyOf(test),
    project: test.project === null ? null : storableText(test.project),
    task: storableText(test.task),
    class_name: test.className === null ? null : storableText(test.className),
    name: storableText(test.name),
    reason: storableText(reason),
    until_at: until,
    by_user: storableText(act.actor.name),
    created_at: act.at,
    ended_at: null,
    ended_by: null,
  }
  const content = ['quarantine', row.test_key, row.reason, until, row.by_user]
  return inTurn(database, content, async (within) => {
    const before = await within
      .selectFrom('quarantine')
      .selectAll()
      .where('test_key', '=', row.test_key)
      .where('ended_at', 'is', null)
      .where('reason', '=', row.reason)
      .where('until_at', '=', until)
      .where('by_user', '=', row.by_user)
      .executeTakeFirst()
    if (before !== undefined) return quarantinedOf(before)
    const { count } = await within
      .selectFrom('quarantine')
      .select((of) => of.fn.countAll<number | string>().as('count'))
      .where('ended_at', 'is', null)
      .where('until_at', '>', act.at)
      .where('test_key', '!=', row.test_key)
      .executeTakeFirstOrThrow()
    if (Number(count) >= mostQuarantined) return undefined
    await within
      .updateTable('quarantine')
      .set({ ended_at: act.at, ended_by: row.by_user })
      .where('test_key', '=', row.test_key)
      .where('ended_at', 'is', null)
      .execute()
    await within.insertInto('quarantine').values(row).execute()
    await addAction(within, { ...act, action: 'test-quarantined', subject: auditedTest(test) })
    return quarantinedOf(row)
  })
}

/** Ends it before its time, and notes who did. Undefined where it isn't in force, or another one replaced it. */
export async function endQuarantine(
  { kysely }: Database,
  id: string,
  act: Act,
): Promise<QuarantinedTest | undefined> {
  return kysely.transaction().execute(async (within) => {
    const row = await within
      .selectFrom('quarantine')
      .selectAll()
      .where('id', '=', storableText(id))
      .where('ended_at', 'is', null)
      .where('until_at', '>', act.at)
      .executeTakeFirst()
    if (row === undefined) return undefined
    // Two who quarantined it at once made two.
    const { numUpdatedRows } = await within
      .updateTable('quarantine')
      .set({ ended_at: act.at, ended_by: storableText(act.actor.name) })
      .where('test_key', '=', row.test_key)
      .where('ended_at', 'is', null)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return undefined
    const ended = quarantinedOf(row)
    await addAction(within, {
      ...act,
      action: 'quarantine-ended',
      subject: auditedTest(ended.test),
      detail: `Ended the quarantine of ${auditedTest(ended.test)}.`,
    })
    return ended
  })
}

type Row = Schema['quarantine']

function quarantinedOf(row: Row): QuarantinedTest {
  const { project, task, class_name, name, until_at, by_user, created_at } = row
  return {
    id: row.id,
    test: { project, task, className: class_name, name },
    reason: row.reason,
    until: until_at,
    by: by_user,
    createdAt: created_at,
  }
}

/** Names may be longer than what an index takes. */
function keyOf(test: TestId): string {
  return createHash('sha256').update(testKey(test)).digest('hex')
}

/** How the audit log names a test; it cuts long texts. */
export function auditedTest(test: TestId): string {
  return test.project === null ? fullTestName(test) : `${fullTestName(test)} (${test.project})`
}
