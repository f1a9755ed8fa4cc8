import { createHash, randomBytes } from 'node:crypto'
import { type ExpressionBuilder, type Kysely, sql, type Transaction } from 'kysely'
import type {
  ActorKind,
  AuditAction,
  AuditedAction,
  AuditOutcome,
} from '../../protocol/audit-log.ts'
import { hourMs } from '../../protocol/clock.ts'
import { withoutCredentials } from '../../protocol/credential-shapes.ts'
import { shortText } from '../../protocol/untrusted-text.ts'
import type { Database } from './database.ts'
import { longestIndexed, type Schema, storableText } from './schema.ts'

/** So long the same act with the same content by the same person is one sent again, as its response was lost, ms. */
export const sentAgainMs = hourMs

/**
 * Does an act in a transaction. One with the same content waits until this one is written, so that an act
 * that is sent again meanwhile finds itself done; after ten seconds it throws.
 */
export function inTurn<T>(
  { kysely, dialect }: Database,
  content: readonly unknown[],
  work: (within: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  return kysely.transaction().execute(async (within) => {
    // SQLite does one transaction after another.
    if (dialect === 'postgres') {
      const hash = createHash('sha256').update(JSON.stringify(content)).digest().readBigInt64BE()
      await sql`set local lock_timeout = 10000`.execute(within)
      await sql`select pg_advisory_xact_lock(${hash})`.execute(within)
    }
    return work(within)
  })
}

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
  /** Masks the configured credentials in every text of the action. */
  readonly redact?: (text: string) => string
}

/** Thrown within a transaction: it is undone, as what it is about has changed. */
export class Conflict extends Error {}

/** Undefined where the transaction ran into a conflict. */
export async function undone<Result>(transaction: Promise<Result>): Promise<Result | undefined> {
  try {
    return await transaction
  } catch (error) {
    if (error instanceof Conflict) return undefined
    throw error
  }
}

/** Who does something, from where, and when (epoch ms). */
export interface Act extends ActionOrigin {
  readonly at: number
}

/** With the sentence for the audit log. */
export interface ToldAct extends Act {
  readonly detail: string
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
 * Writes an action; within a transaction where it is part of one. What has the shape of a credential
 * is masked, and long texts are cut. What is written is never changed but for how often it happened;
 * the database refuses everything else.
 */
export async function addAction(kysely: Kysely<Schema>, action: NewAction): Promise<void> {
  const { actor, repeated, redact = (text: string) => text } = action
  const masked = (text: string, longest: number): string => auditText(redact(text), longest)
  const often = { times: repeated?.times ?? 1, last_at: repeated?.lastAt ?? null }
  await kysely
    .insertInto('actions')
    .values({
      id: action.id ?? sortableId(action.at),
      at: action.at,
      by_user: masked(actor.name, 200),
      actor_kind: actor.kind,
      session_id: actor.sessionId ?? null,
      action: action.action,
      subject: masked(action.subject, longestIndexed),
      detail: masked(action.detail, 4000),
      outcome: action.outcome ?? 'done',
      from_address: action.from === null ? null : masked(action.from, 100),
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

function auditText(text: string, longest: number): string {
  return storableText(shortText(withoutCredentials(text), longest))
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
  filter: ActionFilter,
  limit: number,
): Promise<AuditedAction[]> {
  const query = kysely
    .selectFrom('actions')
    .selectAll()
    .where(matching(filter))
    .orderBy('id', 'desc')
    .limit(limit)
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

/** How many actions there are; counts no further than `most`. */
export async function countActions(
  { kysely }: Database,
  filter: ActionFilter,
  most: number,
): Promise<number> {
  const { count } = await kysely
    .selectFrom((from) =>
      from.selectFrom('actions').select('id').where(matching(filter)).limit(most).as('matching'),
    )
    .select((of) => of.fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

function matching(filter: ActionFilter) {
  const { subject, kind, by, actions, outcome, from, until, before } = filter
  return (row: ExpressionBuilder<Schema, 'actions'>) =>
    row.and([
      ...(subject === undefined ? [] : [row('subject', '=', storableText(subject))]),
      ...(kind === undefined ? [] : [row('actor_kind', '=', kind)]),
      ...(by === undefined ? [] : [row('by_user', '=', storableText(by))]),
      ...(actions === undefined ? [] : [row('action', 'in', actions)]),
      ...(outcome === undefined ? [] : [row('outcome', '=', outcome)]),
      ...(from === undefined ? [] : [row('id', '>=', earliestId(from))]),
      ...(until === undefined ? [] : [row('id', '<', earliestId(until))]),
      ...(before === undefined ? [] : [row('id', '<', storableText(before))]),
    ])
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
