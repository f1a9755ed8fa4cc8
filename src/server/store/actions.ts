import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type {
  ActorKind,
  AuditAction,
  AuditedAction,
  AuditOutcome,
} from '../../protocol/audit-log.ts'
import type { Database } from './database.ts'
import { type Schema, storableText } from './schema.ts'

/** Who did something. */
export interface AuditActor {
  readonly kind: ActorKind
  readonly name: string
  /** Names the session in the audit log; never a secret by which it could be used. */
  readonly sessionId?: string | undefined
}

/** Who acts, and the network address that it comes from; null where there is none. */
export interface ActionOrigin {
  readonly actor: AuditActor
  readonly from: string | null
}

/** What someone did. */
export interface NewAction extends ActionOrigin {
  /** A new one (`sortableId`) unless given: written twice under one id, it stands there once. */
  readonly id?: string
  /** Epoch ms. */
  readonly at: number
  readonly action: AuditAction
  /** As in `AuditedAction`. */
  readonly subject: string
  readonly detail: string
  /** Done unless given. */
  readonly outcome?: AuditOutcome
  /** How often it happened, and when for the last time: once, unless given. */
  readonly repeated?: { readonly times: number; readonly lastAt: number }
  /** The waiver it is about: the action is kept as long as that. */
  readonly waiverId?: string
}

/**
 * Writes an action; within a transaction where it is part of one. What is written is never changed
 * but for how often it happened; the database refuses everything else.
 */
export async function addAction(kysely: Kysely<Schema>, action: NewAction): Promise<void> {
  const { actor, repeated } = action
  const often = { times: repeated?.times ?? 1, last_at: repeated?.lastAt ?? null }
  await kysely
    .insertInto('actions')
    .values({
      id: action.id ?? sortableId(action.at),
      at: action.at,
      by_user: storableText(actor.name),
      actor_kind: actor.kind,
      session_id: actor.sessionId ?? null,
      action: action.action,
      subject: storableText(action.subject),
      detail: storableText(action.detail),
      outcome: action.outcome ?? 'done',
      from_address: action.from === null ? null : storableText(action.from),
      ...often,
      waiver_id: action.waiverId ?? null,
    })
    .onConflict((conflict) =>
      repeated === undefined
        ? conflict.column('id').doNothing()
        : conflict.column('id').doUpdateSet(often),
    )
    .execute()
}

/** Which actions are wanted; what is left out narrows nothing. */
export interface ActionFilter {
  readonly subject?: string | undefined
  readonly kind?: ActorKind | undefined
  readonly by?: string | undefined
  /** One of these. */
  readonly actions?: readonly AuditAction[] | undefined
  readonly outcome?: AuditOutcome | undefined
  /** Epoch ms: at this time or later, and before that one. */
  readonly from?: number | undefined
  readonly until?: number | undefined
  /** Those before an id. */
  readonly before?: string | undefined
}

/** Actions, the newest first, `limit` at most. */
export async function listActions(
  { kysely }: Database,
  { subject, kind, by, actions, outcome, from, until, before }: ActionFilter,
  limit: number,
): Promise<AuditedAction[]> {
  let query = kysely.selectFrom('actions').selectAll().orderBy('id', 'desc').limit(limit)
  if (subject !== undefined) query = query.where('subject', '=', storableText(subject))
  if (kind !== undefined) query = query.where('actor_kind', '=', kind)
  if (by !== undefined) query = query.where('by_user', '=', storableText(by))
  if (actions !== undefined) query = query.where('action', 'in', actions)
  if (outcome !== undefined) query = query.where('outcome', '=', outcome)
  if (from !== undefined) query = query.where('id', '>=', earliestId(from))
  if (until !== undefined) query = query.where('id', '<', earliestId(until))
  if (before !== undefined) query = query.where('id', '<', storableText(before))
  return (await query.execute()).map((row) => ({
    id: row.id,
    at: row.at,
    by: row.by_user,
    kind: row.actor_kind,
    action: row.action,
    subject: row.subject,
    detail: row.detail,
    outcome: row.outcome,
    from: row.from_address,
    session: row.session_id,
    times: row.times,
    lastAt: row.last_at,
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
