import type { Selectable } from 'kysely'
import type { Database } from './database.ts'
import { type SessionsTable, storableText } from './schema.ts'

/** A session as it is stored; times are epoch ms. */
export interface StoredSession {
  readonly id: string
  /** Of the part of the cookie that names the session. */
  readonly keyHash: string
  readonly mode: string
  readonly subject: string
  /** What the mode found out, as JSON. */
  readonly identity: string
  /** What the next renewal needs, encrypted. */
  readonly sealed: string | null
  /** The identity provider's own name of the session. */
  readonly providerSession: string | null
  /** How often the cookie was renewed. */
  readonly generation: number
  /** The last generation that is known to have reached the browser. */
  readonly confirmed: number
  readonly createdAt: number
  readonly renewedAt: number
  readonly expiresAt: number
  readonly endedAt: number | null
}

/** Keeps a new session. */
export async function addSession({ kysely }: Database, session: StoredSession): Promise<void> {
  await kysely
    .insertInto('sessions')
    .values({
      id: session.id,
      key_hash: session.keyHash,
      mode: session.mode,
      subject: storableText(session.subject),
      identity: storableText(session.identity),
      sealed: session.sealed,
      provider_session: session.providerSession && storableText(session.providerSession),
      generation: session.generation,
      confirmed: session.confirmed,
      created_at: session.createdAt,
      renewed_at: session.renewedAt,
      expires_at: session.expiresAt,
      renewing_until: null,
      ended_at: null,
    })
    .execute()
}

/** A session by its id or by its key, ended ones included; undefined where there is none. */
export async function findSession(
  { kysely }: Database,
  by: { readonly id: string } | { readonly keyHash: string },
): Promise<StoredSession | undefined> {
  const query = kysely.selectFrom('sessions').selectAll()
  const row = await (
    'id' in by ? query.where('id', '=', by.id) : query.where('key_hash', '=', by.keyHash)
  ).executeTakeFirst()
  return row && stored(row)
}

/**
 * Takes the right to renew a session from one generation to the next, until `until`; false where
 * another proxy has it, the session has gone on, or it has ended. Times are epoch ms.
 */
export async function leaseRenewal(
  { kysely }: Database,
  { id, generation }: Pick<StoredSession, 'id' | 'generation'>,
  { now, until }: { readonly now: number; readonly until: number },
): Promise<boolean> {
  const { numUpdatedRows } = await kysely
    .updateTable('sessions')
    .set({ renewing_until: until })
    .where('id', '=', id)
    .where('generation', '=', generation)
    .where('ended_at', 'is', null)
    .where((or) => or.or([or('renewing_until', 'is', null), or('renewing_until', '<=', now)]))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Moves a session on to its next generation; false where it has ended or gone on meanwhile. */
export async function storeRenewal(
  { kysely }: Database,
  before: Pick<StoredSession, 'id' | 'generation'>,
  after: Pick<StoredSession, 'identity' | 'sealed' | 'providerSession' | 'renewedAt' | 'expiresAt'>,
): Promise<boolean> {
  const { numUpdatedRows } = await kysely
    .updateTable('sessions')
    .set({
      identity: storableText(after.identity),
      sealed: after.sealed,
      provider_session: after.providerSession && storableText(after.providerSession),
      renewed_at: after.renewedAt,
      expires_at: after.expiresAt,
      generation: before.generation + 1,
      renewing_until: null,
    })
    .where('id', '=', before.id)
    .where('generation', '=', before.generation)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Notes that a generation has reached the browser. */
export async function confirmGeneration(
  { kysely }: Database,
  id: string,
  generation: number,
): Promise<void> {
  await kysely
    .updateTable('sessions')
    .set({ confirmed: generation })
    .where('id', '=', id)
    .where('confirmed', '<', generation)
    .execute()
}

/** Which sessions are meant. */
export type WhichSessions =
  | { readonly id: string }
  | { readonly mode: string; readonly subject: string }
  | { readonly mode: string; readonly subjectsBut: readonly string[] }
  /** That of the provider, and of `subject` those of which the provider has told no name. */
  | {
      readonly mode: string
      readonly providerSession: string
      readonly subject: string | undefined
    }

/** Ends sessions for good and says which did; what has ended before stays as it was. */
export async function endSessions(
  { kysely }: Database,
  which: WhichSessions,
  now: number,
): Promise<readonly StoredSession[]> {
  let query = kysely
    .updateTable('sessions')
    .set({ ended_at: now, sealed: null })
    .where('ended_at', 'is', null)
  if ('id' in which) query = query.where('id', '=', which.id)
  else {
    query = query.where('mode', '=', which.mode)
    if ('subjectsBut' in which) {
      const { subjectsBut } = which
      if (subjectsBut.length > 0) query = query.where('subject', 'not in', subjectsBut)
    } else if ('providerSession' in which) {
      const { providerSession, subject } = which
      query = query.where((of) => {
        const named = of('provider_session', '=', storableText(providerSession))
        if (subject === undefined) return named
        const unnamed = of('provider_session', 'is', null)
        return of.or([named, unnamed.and('subject', '=', storableText(subject))])
      })
    } else query = query.where('subject', '=', storableText(which.subject))
  }
  return (await query.returningAll().execute()).map(stored)
}

/** The ids of the sessions that ended at `since` or later, epoch ms. */
export async function endedSessions(
  { kysely }: Database,
  since: number,
): Promise<readonly { readonly id: string; readonly endedAt: number }[]> {
  const rows = await kysely
    .selectFrom('sessions')
    .select(['id', 'ended_at'])
    .where('ended_at', '>=', since)
    .execute()
  return rows.map(({ id, ended_at }) => ({ id, endedAt: ended_at ?? since }))
}

/** When each of these sessions, some hundreds at most, was renewed last, epoch ms. */
export async function renewals(
  { kysely }: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await kysely
    .selectFrom('sessions')
    .select(['id', 'renewed_at'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, renewed_at }) => [id, renewed_at]))
}

/** How many sessions are open. `now` is epoch ms. */
export async function countSessions({ kysely }: Database, now: number): Promise<number> {
  const { count } = await kysely
    .selectFrom('sessions')
    .select((of) => of.fn.countAll<number | string>().as('count'))
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Lets go of what has ended or expired before `before`, epoch ms. */
export async function sweepSessions({ kysely }: Database, before: number): Promise<void> {
  await kysely
    .deleteFrom('sessions')
    .where((or) => or.or([or('ended_at', '<', before), or('expires_at', '<', before)]))
    .execute()
  await kysely.deleteFrom('used_logout_tokens').where('expires_at', '<', before).execute()
}

function stored(row: Selectable<SessionsTable>): StoredSession {
  return {
    id: row.id,
    keyHash: row.key_hash,
    mode: row.mode,
    subject: row.subject,
    identity: row.identity,
    sealed: row.sealed,
    providerSession: row.provider_session,
    generation: row.generation,
    confirmed: row.confirmed,
    createdAt: row.created_at,
    renewedAt: row.renewed_at,
    expiresAt: row.expires_at,
    endedAt: row.ended_at,
  }
}

/** A sign-in that failed. */
export interface SignInFailure {
  /** Of a random key of its own. */
  readonly idHash: string
  /** Of the browser in which it did. */
  readonly browserHash: string
  /** Why, as JSON. */
  readonly failure: string
  /** Epoch ms. */
  readonly expiresAt: number
}

/** Keeps why a sign-in failed; where there are `most` already, the oldest goes. `now` is epoch ms. */
export async function addFailure(
  { kysely }: Database,
  { idHash, browserHash, failure, expiresAt }: SignInFailure,
  { now, most }: { readonly now: number; readonly most: number },
): Promise<void> {
  await kysely.deleteFrom('sign_in_attempts').where('expires_at', '<=', now).execute()
  await kysely
    .deleteFrom('sign_in_attempts')
    .where('state_hash', 'in', (from) =>
      from
        .selectFrom('sign_in_attempts')
        .select('state_hash')
        .orderBy('expires_at', 'desc')
        .limit(most)
        .offset(most - 1),
    )
    .execute()
  await kysely
    .insertInto('sign_in_attempts')
    .values({
      state_hash: idHash,
      browser_hash: browserHash,
      sealed: null,
      failure: storableText(failure),
      expires_at: expiresAt,
    })
    .execute()
}

/** Takes what is known of the last sign-in that failed in a browser, once. `now` is epoch ms. */
export async function takeFailure(
  { kysely }: Database,
  browserHash: string,
  now: number,
): Promise<string | undefined> {
  const rows = await kysely
    .deleteFrom('sign_in_attempts')
    .where('browser_hash', '=', browserHash)
    .where('failure', 'is not', null)
    .returning(['failure', 'expires_at'])
    .execute()
  const [last] = rows
    .filter(({ expires_at }) => expires_at > now)
    .toSorted((a, b) => b.expires_at - a.expires_at)
  return last?.failure ?? undefined
}

/** Notes that a logout token or a sign-in was used; false where it was before. `expiresAt` is epoch ms. */
export async function useOnce(
  { kysely }: Database,
  idHash: string,
  expiresAt: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await kysely
    .insertInto('used_logout_tokens')
    .values({ id_hash: idHash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** Undoes `useOnce`. */
export async function forgetUse({ kysely }: Database, idHash: string): Promise<void> {
  await kysely.deleteFrom('used_logout_tokens').where('id_hash', '=', idHash).execute()
}

/** Notes that an access token was used; `sha256` is its hash in hex, `at` epoch ms. */
export async function noteTokenUse(
  { kysely }: Database,
  sha256: string,
  at: number,
): Promise<void> {
  await kysely
    .insertInto('token_uses')
    .values({ sha256, last_used_at: at })
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ last_used_at: at }))
    .execute()
}

/** When each access token was last used, by its hash in hex: to within a minute, epoch ms. */
export async function tokenUses({ kysely }: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await kysely.selectFrom('token_uses').selectAll().execute()
  return new Map(rows.map((row) => [row.sha256, row.last_used_at]))
}
