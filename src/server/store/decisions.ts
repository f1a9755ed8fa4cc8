import { z } from 'zod'
import {
  type DecidedPlace,
  type Decision,
  DecisionSubject,
  decisionSubjectKey,
  type NewDecision,
  placeKey,
  type Release,
  ReleasedPlace,
} from '../../protocol/decision.ts'
import type { EvaluationSummary } from '../../protocol/evaluation.ts'
import { packageNameOf } from '../../protocol/package-address.ts'
import { addAction, Conflict, sentAgainMs, sortableId, type ToldAct, undone } from './actions.ts'
import type { Database } from './database.ts'
import { findSummaries } from './evaluations.ts'
import { packageColumn, type Schema, storableText } from './schema.ts'

/** What a release stands on, as it was found when it was decided. */
export interface ReleaseFindings extends Pick<
  Release,
  'verdict' | 'content' | 'waivers' | 'concerns'
> {
  readonly places: readonly ReleasedPlace[]
}

/**
 * Keeps a decision, notes who made it, and keeps its runs and waivers from being swept: all of it or
 * nothing. `undefined` where another one on the subject was made after the one that it names, so that
 * of several who decide at once one does.
 */
export async function addDecision(
  { kysely }: Database,
  asked: NewDecision,
  findings: ReleaseFindings | undefined,
  act: ToldAct,
): Promise<Decision | undefined> {
  const { subject } = asked
  const key = storableText(decisionSubjectKey(subject))
  return undone(
    kysely.transaction().execute(async (within) => {
      const before = await within
        .selectFrom('decisions')
        .select(['id', 'at'])
        .where('subject_key', '=', key)
        // Not by the id: in some languages PostgreSQL sorts its letters otherwise.
        .orderBy('at', 'desc')
        .limit(1)
        .executeTakeFirst()
      if ((before?.id ?? null) !== asked.newest) throw new Conflict()
      // Ids sort by time: a clock that was set back changes no order.
      const id = sortableId(Math.max(act.at, (before?.at ?? 0) + 1))
      const places = findings?.places ?? []
      const runs = [...new Set(places.flatMap(({ run }) => run ?? []))]
      const row: Row = {
        id,
        at: Math.max(act.at, (before?.at ?? 0) + 1),
        by_user: storableText(act.actor.name),
        subject_key: key,
        follows: before?.id ?? '',
        subject: storableText(JSON.stringify(subject)),
        board: subject.is === 'board' ? storableText(subject.board) : null,
        package_path: subject.is === 'scan' ? storableText(subject.packagePath) : null,
        package_name:
          subject.is === 'scan' ? storableText(packageNameOf(subject.packagePath)) : null,
        scan: subject.is === 'scan' ? storableText(subject.scan) : null,
        action: asked.action,
        reason: storableText(asked.reason),
        verdict: findings?.verdict ?? null,
        content: findings?.content ?? null,
        runs: runs.length,
        waivers: JSON.stringify(findings?.waivers ?? []),
        concerns: JSON.stringify(findings?.concerns ?? []),
        places: storableText(JSON.stringify(places)),
      }
      // Of two at once, the second one follows what has a follower.
      const { numInsertedOrUpdatedRows } = await within
        .insertInto('decisions')
        .values(row)
        .onConflict((conflict) => conflict.columns(['subject_key', 'follows']).doNothing())
        .executeTakeFirstOrThrow()
      if (numInsertedOrUpdatedRows !== 1n) throw new Conflict()
      for (let at = 0; at < runs.length; at += rowsAtOnce) {
        await within
          .insertInto('decision_runs')
          .values(
            runs.slice(at, at + rowsAtOnce).map((run) => ({ evaluation_id: run, decision_id: id })),
          )
          .execute()
      }
      for (const waiver of new Set(findings?.waivers)) {
        await within
          .insertInto('decision_waivers')
          .values({ waiver_id: waiver, decision_id: id })
          .execute()
      }
      await addAction(within, {
        ...act,
        action: asked.action === 'release' ? 'released' : 'release-revoked',
        subject: subject.is === 'board' ? `board ${subject.board}` : subject.packagePath,
      })
      return decisionOf(row)
    }),
  )
}

/**
 * The newest decision on the subject, where the same person made it with the same content within the last hour: sent again, as
 * its answer was lost, it is done. `at` is epoch ms.
 */
export async function decidedAlready(
  { kysely }: Database,
  asked: NewDecision,
  { by, at }: { readonly by: string; readonly at: number },
): Promise<Decision | undefined> {
  const row = await kysely
    .selectFrom('decisions')
    .selectAll()
    .where('subject_key', '=', storableText(decisionSubjectKey(asked.subject)))
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
  const isSame =
    row !== undefined &&
    row.at >= at - sentAgainMs &&
    row.by_user === storableText(by) &&
    row.action === asked.action &&
    row.reason === storableText(asked.reason) &&
    row.follows === (asked.newest ?? '') &&
    (asked.action === 'revoke' || areSameRuns(Places.parse(JSON.parse(row.places)), asked.places))
  return isSame ? decisionOf(row) : undefined
}

function areSameRuns(some: readonly DecidedPlace[], others: readonly DecidedPlace[]): boolean {
  const keysOf = (places: readonly DecidedPlace[]): string[] =>
    places.map((place) => `${placeKey(place)} ${place.run ?? ''}`).toSorted()
  return JSON.stringify(keysOf(some)) === JSON.stringify(keysOf(others))
}

const rowsAtOnce = 400

/** Which decisions; what is left out does not matter. */
export interface DecisionFilter {
  readonly board?: string | undefined
  /** The path of a package, or with `/*` in place of the version that of all its versions. */
  readonly path?: string | undefined
  readonly scan?: string | undefined
}

/** Decisions, the newest first, `limit` at most. */
export async function listDecisions(
  { kysely }: Database,
  { board, path, scan }: DecisionFilter,
  limit: number,
): Promise<Decision[]> {
  let query = kysely
    .selectFrom('decisions')
    .select(listed)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (board !== undefined) query = query.where('board', '=', storableText(board))
  if (path !== undefined) {
    const [column, value] = packageColumn(storableText(path))
    query = query.where(column, '=', value)
  }
  if (scan !== undefined) query = query.where('scan', '=', storableText(scan))
  return (await query.execute()).map(decisionOf)
}

/** The newest decision on a subject; undefined before the first. */
export async function newestDecision(
  { kysely }: Database,
  subject: DecisionSubject,
): Promise<Decision | undefined> {
  const row = await kysely
    .selectFrom('decisions')
    .select(listed)
    .where('subject_key', '=', storableText(decisionSubjectKey(subject)))
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? undefined : decisionOf(row)
}

/** A decision with the places that it stands on. */
export interface StoredDecision {
  readonly decision: Decision
  readonly places: readonly ReleasedPlace[]
}

/** One decision by its id; undefined where there is none. */
export async function findDecision(
  { kysely }: Database,
  id: string,
): Promise<StoredDecision | undefined> {
  const row = await kysely
    .selectFrom('decisions')
    .selectAll()
    .where('id', '=', storableText(id))
    .executeTakeFirst()
  if (row === undefined) return undefined
  return { decision: decisionOf(row), places: Places.parse(JSON.parse(row.places)) }
}

/** The recorded runs with these ids, by id; those that are none are left out. */
export async function runsById(
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EvaluationSummary>> {
  const found = new Map<string, EvaluationSummary>()
  for (let at = 0; at < ids.length; at += rowsAtOnce) {
    for (const run of await findSummaries(database, ids.slice(at, at + rowsAtOnce))) {
      found.set(run.id, run)
    }
  }
  return found
}

type Row = Schema['decisions']
const listed = [
  'id',
  'at',
  'by_user',
  'subject',
  'action',
  'reason',
  'follows',
  'verdict',
  'content',
  'runs',
  'waivers',
  'concerns',
] as const

const Places = z.array(ReleasedPlace)
const Texts = z.array(z.string())

function decisionOf(row: Pick<Row, (typeof listed)[number]>): Decision {
  const made = {
    id: row.id,
    at: row.at,
    by: row.by_user,
    subject: DecisionSubject.parse(JSON.parse(row.subject)),
    reason: row.reason,
  }
  return row.action === 'revoke'
    ? { ...made, action: 'revoke', revokes: row.follows }
    : {
        ...made,
        action: 'release',
        verdict: row.verdict ?? 'open',
        content: row.content ?? '',
        runs: row.runs,
        waivers: Texts.parse(JSON.parse(row.waivers)),
        concerns: Texts.parse(JSON.parse(row.concerns)),
      }
}
