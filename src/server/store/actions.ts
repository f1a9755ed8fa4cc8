import type { Kysely } from 'kysely'
import type { AuditedAction } from '../../protocol/evaluation.ts'
import type { Database } from './database.ts'
import type { Schema } from './schema.ts'
import { sortableId } from './sortable-id.ts'
import { storableText } from './storable-text.ts'

/** What somebody did. */
export interface NewAction extends Pick<
  AuditedAction,
  'at' | 'by' | 'action' | 'subject' | 'detail'
> {
  /** A new one (sortable-id.ts) unless told: noted twice under one id, it stands there once. */
  readonly id?: string
  /** The waiver it is about: the action is kept as long as that. */
  readonly waiverId?: string
}

/** Notes an action; within a transaction where it is part of one. */
export async function addAction(
  kysely: Kysely<Schema>,
  { id, at, by, action, subject, detail, waiverId }: NewAction,
): Promise<void> {
  await kysely
    .insertInto('actions')
    .values({
      id: id ?? sortableId(at),
      at,
      by_user: storableText(by),
      action,
      subject: storableText(subject),
      detail: storableText(detail),
      waiver_id: waiverId ?? null,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** Actions, the newest first, `limit` at most: those on one subject, those before an id. */
export async function listActions(
  { kysely }: Database,
  { subject, before }: { subject?: string | undefined; before?: string | undefined },
  limit: number,
): Promise<AuditedAction[]> {
  let query = kysely.selectFrom('actions').selectAll().orderBy('id', 'desc').limit(limit)
  if (subject !== undefined) query = query.where('subject', '=', storableText(subject))
  if (before !== undefined) query = query.where('id', '<', storableText(before))
  return (await query.execute()).map((row) => ({
    id: row.id,
    at: row.at,
    by: row.by_user,
    action: row.action,
    subject: row.subject,
    detail: row.detail,
  }))
}
