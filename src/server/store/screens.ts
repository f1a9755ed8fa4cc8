import type { Screen } from '../../protocol/screen.ts'
import { addAction } from './actions.ts'
import type { Database } from './database.ts'
import { storableText } from './storable-text.ts'

/** A screen as a request is checked against it; undefined where it was revoked. */
export interface ScreenCredential {
  readonly id: string
  readonly name: string
  /** Null until the screen has taken its credential. */
  readonly secretHash: string | null
  readonly expiresAt: number
  readonly lastSeenAt: number | null
}

/** The screens that may be used, newest first. `now` is epoch ms. */
export async function listScreens({ kysely }: Database, now: number): Promise<Screen[]> {
  const rows = await kysely
    .selectFrom('screens')
    .selectAll()
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
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
  { by, now }: { readonly by: string; readonly now: number },
): Promise<boolean> {
  return kysely.transaction().execute(async (within) => {
    const gone = await within
      .deleteFrom('screens')
      .where('id', '=', storableText(id))
      .returning('name')
      .executeTakeFirst()
    if (gone === undefined) return false
    await within.deleteFrom('screen_activations').where('screen_id', '=', id).execute()
    const detail = `${by} revoked the screen “${gone.name}”.`
    await addAction(within, { at: now, by, action: 'screen-revoked', subject: gone.name, detail })
    return true
  })
}
