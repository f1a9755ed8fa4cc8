import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { AuditedAction } from '../../protocol/evaluation.ts'
import type { Database } from './database.ts'
import { type Schema, storableText } from './schema.ts'

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

/** Crockford's base 32, in which texts sort as their numbers do. */
const digits = '0123456789abcdefghjkmnpqrstvwxyz'
const timeDigits = 10

/**
 * An id that sorts by its time (epoch ms, below 2^50) as a text, and that nobody can guess: 80 random
 * bits follow the time. Lower-case letters and digits, 26 of them.
 */
export function sortableId(time: number): string {
  const random = Array.from(randomBytes(16), (byte) => digits[byte % digits.length] ?? '')
  return earliestId(time) + random.join('')
}

/** What sorts before every id of a time (epoch ms) or later, and behind every earlier one. */
export function earliestId(time: number): string {
  let text = ''
  for (let rest = Math.max(0, Math.floor(time)), at = 0; at < timeDigits; at += 1) {
    text = (digits[rest % digits.length] ?? '') + text
    rest = Math.floor(rest / digits.length)
  }
  return text
}
