import type { Kysely } from 'kysely'
import { packageNameOf } from '../../protocol/package-address.ts'
import {
  coversScan,
  type NewWaiver,
  type Waiver,
  type WaiverScope,
  waiverStanding,
} from '../../protocol/waiver.ts'
import {
  type Act,
  Conflict,
  undone,
  addAction,
  inTurn,
  type NewAction,
  sortableId,
  sentAgainMs,
} from './actions.ts'
import type { Database } from './database.ts'
import { packageColumn, type Schema, storableText } from './schema.ts'

/** Who gives, ends or approves waivers, from where, and when (epoch ms). */
export type WaiverGiving = Act & WaiverPerson

/** Somebody among those who give and approve waivers. */
export interface WaiverPerson {
  /** What names them in all their sessions (`personKey`); undefined where only the name is known. */
  readonly person?: string | undefined
}

/** The same with the sentence for the audit log. */
export interface WaiverAct extends WaiverGiving {
  readonly detail: string
}

/** As many waivers that are over are listed at most. */
const mostOver = 1000

/** Several that lock the same waivers in another order would wait for each other for ever. */
const oneAfterAnother = ['waivers']

/** A waiver that is to be kept, and the sentence for the audit log. */
export interface AskedWaiver {
  readonly waiver: NewWaiver
  /** Whether it counts only once somebody else has approved it. */
  readonly needsApproval: boolean
  readonly detail: string
}

/**
 * Keeps new waivers and notes who gave them, all or nothing; several share a group. One that renews
 * another ends that, at once or when it is approved. Undefined where one that is to be renewed is
 * renewed already.
 */
export async function addWaivers(
  database: Database,
  asked: readonly AskedWaiver[],
  act: WaiverGiving,
): Promise<Waiver[] | undefined> {
  const group = asked.length > 1 ? sortableId(act.at) : null
  const rows = asked.map(({ waiver, needsApproval }) => newRow(waiver, needsApproval, group, act))
  return undone(
    inTurn(database, oneAfterAnother, async (transaction) => {
      const done = await givenAlready(transaction, rows)
      if (done !== undefined) return done.map(waiverOf)
      for (const [index, row] of rows.entries()) {
        await transaction.insertInto('waivers').values(row).execute()
        if (row.renews !== null) await renew(transaction, row, act)
        const action = row.renews === null ? 'waiver-given' : 'waiver-renewed'
        const detail = asked[index]?.detail ?? ''
        await addAction(transaction, actionOf(action, row, { ...act, detail }))
      }
      return rows.map(waiverOf)
    }),
  )
}

/**
 * What the same person gave with the same content within the last hour, and nobody ended: sent again, as its answer
 * was lost, it is done. Undefined where any of them is new.
 */
async function givenAlready(
  transaction: Kysely<Schema>,
  rows: readonly Row[],
): Promise<Row[] | undefined> {
  const given: Row[] = []
  for (const row of rows) {
    const lately = await transaction
      .selectFrom('waivers')
      .selectAll()
      .where('package_path', '=', row.package_path)
      .where('created_at', '>=', row.created_at - sentAgainMs)
      .where('ended_at', 'is', null)
      .execute()
    const same = lately.find((one) => contentColumns.every((column) => one[column] === row[column]))
    if (same === undefined) return undefined
    given.push(same)
  }
  return given
}

const contentColumns = [
  'sha256',
  'scan',
  'policy_uri',
  'reason',
  'person',
  'by_user',
  'by_person',
  'expires_at',
  'carried_from',
  'from_version',
  'until_version',
  'ticket',
  'renews',
  'renewed_by',
  'needs_approval',
] as const satisfies readonly (keyof Row)[]

/** Names the new one in the old one, and ends that where the new one counts. What somebody ended stays so. */
async function renew(transaction: Kysely<Schema>, row: Row, { at, actor }: WaiverGiving) {
  const { numUpdatedRows } = await transaction
    .updateTable('waivers')
    .set({ renewed_by: row.id })
    .where('id', '=', row.renews)
    .where('renewed_by', 'is', null)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) throw new Conflict()
  if (row.needs_approval === 0) await endRenewed(transaction, row, { at, by: actor.name })
}

/** What is over by itself stays as it was. */
async function endRenewed(
  transaction: Kysely<Schema>,
  { renews }: Row,
  { at, by }: { readonly at: number; readonly by: string },
): Promise<void> {
  await transaction
    .updateTable('waivers')
    .set({ ended_at: at, ended_by: storableText(by) })
    .where('id', '=', renews)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', at)
    .execute()
}

function newRow(
  asked: NewWaiver,
  needsApproval: boolean,
  group: string | null,
  { at, actor, person }: WaiverGiving,
): Row {
  return {
    id: sortableId(at),
    package_path: storableText(asked.packagePath),
    package_name: storableText(packageNameOf(asked.packagePath)),
    sha256: asked.sha256,
    scan: storableText(asked.scan),
    policy_uri: storableText(asked.policyUri),
    reason: storableText(asked.reason),
    person: storableText(asked.person),
    by_user: storableText(actor.name),
    by_person: textOrNull(person),
    created_at: at,
    expires_at: asked.expiresAt,
    carried_from: asked.carriedFrom ?? null,
    ended_at: null,
    ended_by: null,
    from_version: textOrNull(asked.versions?.from),
    until_version: textOrNull(asked.versions?.until),
    ticket: textOrNull(asked.ticket),
    group_id: group,
    renews: asked.renews ?? null,
    renewed_by: null,
    needs_approval: needsApproval ? 1 : 0,
    approved_at: null,
    approved_by: null,
  }
}

function textOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : storableText(text)
}

/** Which waiver is ended or approved, and the sentence for the audit log, of the waiver as it was before. */
export interface WaiverChange {
  readonly id: string
  readonly detail: (before: Waiver) => string
}

/**
 * The time of a change, epoch ms: after what is known of the waiver. Who acts at the same moment, or at
 * another proxy whose clock is ahead, is before the one who waited for them.
 */
function timeAfter({ created_at, approved_at }: Row, at: number): number {
  return Math.max(at, (approved_at ?? created_at) + 1)
}

/** Throws where it was ended or approved since it was read, as by a version of Sightline that takes no turns. */
async function changeRow(
  within: Kysely<Schema>,
  { id, approved_at }: Row,
  set: Partial<Row>,
): Promise<void> {
  const { numUpdatedRows } = await within
    .updateTable('waivers')
    .set(set)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .where('approved_at', approved_at === null ? 'is' : '=', approved_at)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new Conflict()
}

function storedWaiver(within: Kysely<Schema>, id: string): Promise<Row | undefined> {
  const all = within.selectFrom('waivers').selectAll()
  return all.where('id', '=', storableText(id)).executeTakeFirst()
}

/**
 * Ends waivers that are not over and notes who did: all of them or, where one is over, none, then
 * undefined. Of several who end one at once, one does; what the same person has ended stays as it is, as
 * the answer may have been lost.
 */
export async function endWaivers(
  database: Database,
  changes: readonly WaiverChange[],
  act: WaiverGiving,
): Promise<Waiver[] | undefined> {
  const by = storableText(act.actor.name)
  return undone(
    inTurn(database, oneAfterAnother, async (transaction) => {
      const ended: Waiver[] = []
      for (const { id, detail } of changes) {
        const before = await storedWaiver(transaction, id)
        if (before?.ended_by === by && before.renewed_by === null) {
          ended.push(waiverOf(before))
          continue
        }
        if (before === undefined || before.ended_at !== null || before.expires_at <= act.at) {
          throw new Conflict()
        }
        const at = timeAfter(before, act.at)
        // A renewal that waits hasn't renewed it.
        const set = { ended_at: at, ended_by: by, renewed_by: null }
        await changeRow(transaction, before, set)
        // A renewal that was declined is none: what it was to renew may be renewed again.
        if (before.needs_approval === 1 && before.approved_at === null && before.renews !== null) {
          await transaction
            .updateTable('waivers')
            .set({ renewed_by: null })
            .where('id', '=', before.renews)
            .where('renewed_by', '=', before.id)
            .execute()
        }
        const said = { ...act, at, detail: detail(waiverOf(before)) }
        await addAction(transaction, actionOf('waiver-ended', before, said))
        ended.push(waiverOf({ ...before, ...set }))
      }
      return ended
    }),
  )
}

/**
 * Approves waivers that wait for it and that somebody else has given, and ends what they renew, all of
 * them or none: undefined where one does not wait, is over, or is the approver's own. What the same person
 * has approved stays as it is.
 */
export async function approveWaivers(
  database: Database,
  changes: readonly WaiverChange[],
  act: WaiverGiving,
): Promise<Waiver[] | undefined> {
  const by = storableText(act.actor.name)
  return undone(
    inTurn(database, oneAfterAnother, async (transaction) => {
      const approved: Waiver[] = []
      for (const { id, detail } of changes) {
        const before = await storedWaiver(transaction, id)
        if (before === undefined || isGivenBy(before, { name: by, person: act.person })) {
          throw new Conflict()
        }
        if (before.approved_by === by && before.ended_at === null) {
          approved.push(waiverOf(before))
          continue
        }
        const isWaiting = before.needs_approval === 1 && before.approved_at === null
        if (!isWaiting || before.ended_at !== null || before.expires_at <= act.at) {
          throw new Conflict()
        }
        const at = timeAfter(before, act.at)
        const set = { approved_at: at, approved_by: by }
        await changeRow(transaction, before, set)
        const row = { ...before, ...set }
        if (row.renews !== null) await endRenewed(transaction, row, { at, by: act.actor.name })
        const said = { ...act, at, detail: detail(waiverOf(before)) }
        await addAction(transaction, actionOf('waiver-approved', row, said))
        approved.push(waiverOf(row))
      }
      return approved
    }),
  )
}

/**
 * Whether somebody gave a waiver. At an identity provider two may have one name, and one may have two in
 * turn: there the subject decides where it is known of both, and everywhere else the name, in whatever case it was
 * typed, as a directory takes it.
 */
function isGivenBy(
  { by_user, by_person }: Pick<Row, 'by_user' | 'by_person'>,
  { name, person }: WaiverReader,
): boolean {
  return isSubject(by_person) && isSubject(person)
    ? by_person === storableText(person ?? '')
    : sameName(by_user) === sameName(storableText(name))
}

function sameName(name: string): string {
  return name.normalize('NFC').trim().toLowerCase()
}

/** Whether a person is known by the subject of an identity provider (`personKey`). */
function isSubject(person: string | null | undefined): boolean {
  return person?.startsWith('subject ') ?? false
}

/** Whoever reads waivers, and may have given some. */
export interface WaiverReader extends WaiverPerson {
  readonly name: string
}

/**
 * Waivers by their ids, in the order of these; those that are none are left out. For a `reader` each says
 * whether it is their own.
 */
export async function findWaivers(
  { kysely }: Database,
  ids: readonly string[],
  reader?: WaiverReader,
): Promise<Waiver[]> {
  if (ids.length === 0) return []
  const rows = await kysely
    .selectFrom('waivers')
    .selectAll()
    .where('id', 'in', ids.map(storableText))
    .execute()
  const byId = new Map(rows.map((row) => [row.id, readWaiver(row, reader)]))
  return ids.flatMap((id) => byId.get(storableText(id)) ?? [])
}

/**
 * The waivers of a package (as in store/evaluations.ts) with those for versions of it, or all: every one
 * that is in force or waits at `now`, epoch ms, and the newest 1,000 of the others. The newest first. For a
 * `reader` each says whether it is their own.
 */
export async function listWaivers(
  { kysely }: Database,
  {
    path,
    now,
    reader,
  }: {
    readonly path?: string | undefined
    readonly now: number
    readonly reader?: WaiverReader
  },
): Promise<Waiver[]> {
  let query = kysely.selectFrom('waivers').selectAll().orderBy('id', 'desc')
  if (path !== undefined) {
    const [column, value] = packageColumn(storableText(path))
    // Those for versions may have been given for another one.
    query = query.where((row) =>
      column === 'package_name'
        ? row(column, '=', value)
        : row.or([
            row(column, '=', value),
            row.and([
              row('package_name', '=', packageNameOf(value)),
              row('from_version', 'is not', null),
            ]),
          ]),
    )
  }
  const inForce = await query.where('ended_at', 'is', null).where('expires_at', '>', now).execute()
  const over = await query
    .where((row) => row.or([row('ended_at', 'is not', null), row('expires_at', '<=', now)]))
    .limit(mostOver)
    .execute()
  // Ended between the two statements, it stands in both: as it is now.
  const byId = new Map([...inForce, ...over].map((row) => [row.id, readWaiver(row, reader)]))
  return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1))
}

/** The waivers in force at `now` that end no later than `until`, epoch ms, the first to end first. */
export async function endingWaivers(
  { kysely }: Database,
  { now, until }: { readonly now: number; readonly until: number },
): Promise<Waiver[]> {
  const rows = await kysely
    .selectFrom('waivers')
    .selectAll()
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .where('expires_at', '<=', until)
    // What waits for approval isn't in force.
    .where((row) => row.or([row('needs_approval', '=', 0), row('approved_at', 'is not', null)]))
    .orderBy('expires_at')
    .orderBy('id')
    .limit(5000)
    .execute()
  return rows.map(waiverOf)
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
    .where('package_name', '=', storableText(packageNameOf(packagePath)))
    .where('scan', '=', storableText(scan))
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .execute()
  const of = {
    packagePath: storableText(packagePath),
    sha256: storableText(sha256),
    scan: storableText(scan),
  }
  return rows
    .map(waiverOf)
    .filter((waiver) => waiverStanding(waiver, now) === 'in force' && coversScan(waiver, of))
}

type Row = Schema['waivers']

function actionOf(action: NewAction['action'], row: Row, act: WaiverAct): NewAction {
  return { ...act, action, subject: row.package_path, waiverId: row.id }
}

function readWaiver(row: Row, reader: WaiverReader | undefined): Waiver {
  const waiver = waiverOf(row)
  if (reader === undefined) return waiver
  // One person may have a token and an account, with two names.
  const needsAdmin = isSubject(reader.person) && !isSubject(row.by_person)
  return { ...waiver, isOwn: isGivenBy(row, reader), needsAdmin }
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
    versions:
      row.from_version === null ? null : { from: row.from_version, until: row.until_version },
    ticket: row.ticket,
    group: row.group_id,
    renews: row.renews,
    renewedBy: row.renewed_by,
    needsApproval: row.needs_approval === 1,
    approvedAt: row.approved_at,
    approvedBy: row.approved_by,
  }
}
