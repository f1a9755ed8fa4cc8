import type { Screen } from '../../protocol/screen.ts'
import { type ActionOrigin, addAction } from './actions.ts'
import type { Database } from './database.ts'
import { storableText } from './schema.ts'

/** A screen as a request is checked against it; undefined where it was revoked. */
export interface ScreenCredential {
  readonly id: string
  readonly name: string
  /** Null until the screen has taken its credential. */
  readonly secretHash: string | null
  readonly expiresAt: number
  readonly lastSeenAt: number | null
}

/** The screens that may be used, or the 20 that `ended` last as nobody used them; newest first. `now` is epoch ms. */
export async function listScreens(
  { kysely }: Database,
  now: number,
  are: 'used' | 'ended' = 'used',
): Promise<Screen[]> {
  const screens = kysely.selectFrom('screens').selectAll()
  const rows = await (
    are === 'used'
      ? screens.where('expires_at', '>', now).orderBy('created_at', 'desc')
      : screens.where('expires_at', '<=', now).orderBy('expires_at', 'desc').limit(20)
  )
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    by: row.by_user,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastSeenAt: row.last_seen_at,
  }))
}

/** What is known of some screens now; one that was revoked is left out. */
export async function screenCredentials(
  { kysely }: Database,
  ids: readonly string[],
): Promise<ScreenCredential[]> {
  if (ids.length === 0) return []
  const rows = await kysely.selectFrom('screens').selectAll().where('id', 'in', ids).execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    secretHash: row.secret_hash,
    expiresAt: row.expires_at,
    lastSeenAt: row.last_seen_at,
  }))
}

/** Notes that a screen was used, and until when it may be. Times are epoch ms. */
export async function touchScreen(
  { kysely }: Database,
  id: string,
  times: { readonly lastSeenAt: number; readonly expiresAt: number },
): Promise<void> {
  await kysely
    .updateTable('screens')
    .set({ last_seen_at: times.lastSeenAt, expires_at: times.expiresAt })
    .where('id', '=', id)
    .execute()
}

/** Ends a screen for good, and notes who did; false where there is none. */
export function revokeScreen(
  { kysely }: Database,
  id: string,
  { now, ...origin }: ActionOrigin & { readonly now: number },
): Promise<boolean> {
  return kysely.transaction().execute(async (within) => {
    const gone = await within
      .deleteFrom('screens')
      .where('id', '=', storableText(id))
      .returning('name')
      .executeTakeFirst()
    if (gone === undefined) return false
    await within.deleteFrom('screen_activations').where('screen_id', '=', id).execute()
    const detail = `${origin.actor.name} revoked the screen “${gone.name}”.`
    const revoked = { action: 'screen-revoked', subject: gone.name, detail } as const
    await addAction(within, { ...origin, at: now, ...revoked })
    return true
  })
}

/** A code on a screen, by what its code and its secret come to when they are hashed. */
export interface StoredActivation {
  readonly secretHash: string
  readonly codeHash: string
  /** Epoch ms. */
  readonly expiresAt: number
}

/** How many codes wait to be confirmed; those that have expired are let go first. `now` is epoch ms. */
export async function countActivations({ kysely }: Database, now: number): Promise<number> {
  // A screen that was confirmed but never took its credential is of no use to anybody.
  await kysely
    .deleteFrom('screens')
    .where('secret_hash', 'is', null)
    .where('id', 'in', (from) =>
      from
        .selectFrom('screen_activations')
        .select('screen_id')
        .where('expires_at', '<=', now)
        .where('screen_id', 'is not', null)
        .$castTo<{ screen_id: string }>(),
    )
    .execute()
  await kysely.deleteFrom('screen_activations').where('expires_at', '<=', now).execute()
  const { count } = await kysely
    .selectFrom('screen_activations')
    .select((of) => of.fn.countAll<number | string>().as('count'))
    .where('screen_id', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Keeps a code; false where another screen shows the same one. */
export async function addActivation(
  { kysely }: Database,
  { secretHash, codeHash, expiresAt }: StoredActivation,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await kysely
    .insertInto('screen_activations')
    .values({
      secret_hash: secretHash,
      code_hash: codeHash,
      expires_at: expiresAt,
      screen_id: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** Lets go of a code that nobody has confirmed; false where there is none. */
export async function dropActivation({ kysely }: Database, secretHash: string): Promise<boolean> {
  const { numDeletedRows } = await kysely
    .deleteFrom('screen_activations')
    .where('secret_hash', '=', secretHash)
    .where('screen_id', 'is', null)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

/** The hashes of all codes that may be confirmed. */
export async function openCodes({ kysely }: Database, now: number): Promise<readonly string[]> {
  const rows = await kysely
    .selectFrom('screen_activations')
    .select('code_hash')
    .where('screen_id', 'is', null)
    .where('expires_at', '>', now)
    .execute()
  return rows.map((row) => row.code_hash)
}

/**
 * Confirms a code: makes the screen, notes who did, and lets nobody confirm it again. False where
 * somebody else was faster, or the code has expired. Times are epoch ms.
 */
export function confirmActivation(
  { kysely }: Database,
  codeHash: string,
  screen: ActionOrigin & {
    readonly id: string
    readonly name: string
    readonly createdAt: number
    readonly expiresAt: number
  },
): Promise<boolean> {
  const { id, actor, from, createdAt, expiresAt } = screen
  const name = storableText(screen.name)
  return kysely.transaction().execute(async (within) => {
    const { numUpdatedRows } = await within
      .updateTable('screen_activations')
      .set({ screen_id: id })
      .where('code_hash', '=', codeHash)
      .where('screen_id', 'is', null)
      .where('expires_at', '>', createdAt)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows !== 1n) return false
    await within
      .insertInto('screens')
      .values({
        id,
        name,
        by_user: storableText(actor.name),
        secret_hash: null,
        created_at: createdAt,
        expires_at: expiresAt,
        last_seen_at: null,
      })
      .execute()
    const detail = `${actor.name} confirmed the screen “${name}”.`
    await addAction(within, {
      at: createdAt,
      actor,
      from,
      action: 'screen-confirmed',
      subject: name,
      detail,
    })
    return true
  })
}

/** What a claim comes to. */
export type ClaimResult =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'waiting'; readonly expiresAt: number }
  | {
      readonly kind: 'confirmed'
      readonly id: string
      readonly name: string
      readonly expiresAt: number
    }

/**
 * Exchanges a confirmed code for the screen's credential, whose hash is kept: once, whoever is
 * faster, and only before it has expired. `again`: the credential may have been lost on its way, and is
 * replaced unless it was used. `now` is epoch ms.
 */
export function claimActivation(
  { kysely }: Database,
  secretHash: string,
  {
    credentialHash,
    now,
    again,
  }: { readonly credentialHash: string; readonly now: number; readonly again: boolean },
): Promise<ClaimResult> {
  return kysely.transaction().execute(async (within) => {
    const open = await within
      .selectFrom('screen_activations')
      .selectAll()
      .where('secret_hash', '=', secretHash)
      .where('expires_at', '>', now)
      .executeTakeFirst()
    if (open === undefined) return { kind: 'unknown' }
    if (open.screen_id === null) return { kind: 'waiting', expiresAt: open.expires_at }
    const screen = await within
      .updateTable('screens')
      .set({ secret_hash: credentialHash })
      .where('id', '=', open.screen_id)
      .where(again ? 'last_seen_at' : 'secret_hash', 'is', null)
      .returning(['id', 'name', 'expires_at'])
      .executeTakeFirst()
    return screen === undefined
      ? { kind: 'unknown' }
      : { kind: 'confirmed', id: screen.id, name: screen.name, expiresAt: screen.expires_at }
  })
}
