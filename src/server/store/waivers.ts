import type { NewWaiver, Waiver, WaiverScope } from '../../protocol/waiver.ts'
import { type ActionOrigin, addAction, type NewAction, sortableId } from './actions.ts'
import type { Database } from './database.ts'
import { packageColumn, packageNameOf, type Schema, storableText } from './schema.ts'

/** Who does something, from where, when (epoch ms), and the sentence for the audit log. */
export interface WaiverAct extends ActionOrigin {
  readonly at: number
  readonly detail: string
}

/** As many waivers that are over are listed at most. */
const mostOver = 1000

/** Keeps a new waiver and notes who gave it, both or nothing. */
export async function addWaiver(
  { kysely }: Database,
  asked: NewWaiver,
  act: WaiverAct,
): Promise<Waiver> {
  const { at, actor } = act
  const row: Row = {
    id: sortableId(at),
    package_path: storableText(asked.packagePath),
    package_name: storableText(packageNameOf(asked.packagePath)),
    sha256: asked.sha256,
    scan: storableText(asked.scan),
    policy_uri: storableText(asked.policyUri),
    reason: storableText(asked.reason),
    person: storableText(asked.person),
    by_user: storableText(actor.name),
    created_at: at,
    expires_at: asked.expiresAt,
    carried_from: asked.carriedFrom ?? null,
    ended_at: null,
    ended_by: null,
  }
  await kysely.transaction().execute(async (transaction) => {
    await transaction.insertInto('waivers').values(row).execute()
    await addAction(transaction, actionOf('waiver-given', row, act))
  })
  return waiverOf(row)
}

/**
 * Ends a waiver that is in force and notes who did. Undefined where it is not in force: of several who
 * end one at once, one does.
 */
export async function endWaiver(
  { kysely }: Database,
  id: string,
  act: WaiverAct,
): Promise<Waiver | undefined> {
  const { at, actor } = act
  return kysely.transaction().execute(async (transaction) => {
    const row = await transaction
      .updateTable('waivers')
      .set({ ended_at: at, ended_by: storableText(actor.name) })
      .where('id', '=', storableText(id))
      .where('ended_at', 'is', null)
      .where('expires_at', '>', at)
      .returningAll()
      .executeTakeFirst()
    if (row === undefined) return undefined
    await addAction(transaction, actionOf('waiver-ended', row, act))
    return waiverOf(row)
  })
}

/** One waiver by its id; undefined where there is none. */
export async function findWaiver({ kysely }: Database, id: string): Promise<Waiver | undefined> {
  const row = await kysely
    .selectFrom('waivers')
    .selectAll()
    .where('id', '=', storableText(id))
    .executeTakeFirst()
  return row === undefined ? undefined : waiverOf(row)
}

/**
 * The waivers of a package (as in store/evaluations.ts), or all: every one that is in force at `now`,
 * epoch ms, and the newest 1,000 of the others. The newest first.
 */
export async function listWaivers(
  { kysely }: Database,
  { path, now }: { readonly path?: string | undefined; readonly now: number },
): Promise<Waiver[]> {
  let query = kysely.selectFrom('waivers').selectAll().orderBy('id', 'desc')
  if (path !== undefined) {
    const [column, value] = packageColumn(storableText(path))
    query = query.where(column, '=', value)
  }
  const inForce = await query.where('ended_at', 'is', null).where('expires_at', '>', now).execute()
  const over = await query
    .where((row) => row.or([row('ended_at', 'is not', null), row('expires_at', '<=', now)]))
    .limit(mostOver)
    .execute()
  // Ended between the two statements, it stands in both: as it is now.
  const byId = new Map([...inForce, ...over].map((row) => [row.id, waiverOf(row)]))
  return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1))
}

/** The waivers in force at a time, epoch ms, on a scan of an artifact. */
export async function waiversOfScan(
  { kysely }: Database,
  { packagePath, sha256, scan }: Pick<WaiverScope, 'packagePath' | 'sha256' | 'scan'>,
  now: number,
): Promise<Waiver[]> {
  const rows = await kysely
    .selectFrom('waivers')
    .selectAll()
    .where('package_path', '=', storableText(packagePath))
    .where('sha256', '=', storableText(sha256))
    .where('scan', '=', storableText(scan))
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .execute()
  return rows.map(waiverOf)
}

type Row = Schema['waivers']

function actionOf(action: NewAction['action'], row: Row, act: WaiverAct): NewAction {
  return { ...act, action, subject: row.package_path, waiverId: row.id }
}

function waiverOf(row: Row): Waiver {
  return {
    id: row.id,
    packagePath: row.package_path,
    sha256: row.sha256,
    scan: row.scan,
    policyUri: row.policy_uri,
    reason: row.reason,
    person: row.person,
    by: row.by_user,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    carriedFrom: row.carried_from,
    endedAt: row.ended_at,
    endedBy: row.ended_by,
  }
}
