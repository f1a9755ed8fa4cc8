import { earliestId } from './actions.ts'
import { placeKey } from '../../protocol/decision.ts'
import { packageNameOf } from '../../protocol/package-address.ts'
import { foldCase } from '../../protocol/parsed-text.ts'
import { EvaluationSummary, RunReasons } from '../../protocol/evaluation.ts'
import type { Database } from './database.ts'
import { manyValues } from './many-values.ts'
import { packageColumn, type Schema, storableText } from './schema.ts'

/** An evaluation as it is kept; `body` is what was answered, one result to a line, gzip. */
export interface StoredEvaluation {
  readonly summary: EvaluationSummary
  readonly leftOut: number
  readonly body: Uint8Array
}

/** Which evaluations; what is left out does not matter. */
export interface EvaluationFilter {
  /** The path of a package, or that of all its versions: `/*` in place of the last segment. */
  readonly path?: string | undefined
  readonly scan?: string | undefined
  readonly sha256?: string | undefined
  readonly repositoryUrl?: string | undefined
  readonly ended?: EvaluationSummary['ended'] | undefined
  /** A part of the name, in capital letters or not. */
  readonly by?: string | undefined
  /** Those that sort before this id. */
  readonly before?: string | undefined
}

/** Stores an evaluation, all of it or nothing. Stored twice, it stands there once. */
export async function addEvaluation(
  { kysely }: Database,
  { summary, leftOut, body }: StoredEvaluation,
): Promise<void> {
  await kysely.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('evaluations')
      .values(rowOf(summary))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
    await transaction
      .insertInto('evaluation_answers')
      .values({ evaluation_id: summary.id, left_out: leftOut, body })
      .onConflict((conflict) => conflict.column('evaluation_id').doNothing())
      .execute()
  })
}

/** Evaluations, the newest first, `limit` at most. */
export async function listEvaluations(
  database: Database,
  { path, scan, sha256, repositoryUrl, ended, by, before }: EvaluationFilter,
  limit: number,
): Promise<EvaluationSummary[]> {
  const { kysely, dialect } = database
  let query = kysely.selectFrom('evaluations').selectAll().orderBy('id', 'desc').limit(limit)
  if (path !== undefined) {
    const [column, value] = packageColumn(storableText(path))
    query = query.where(column, '=', value)
  }
  if (scan !== undefined) query = query.where('scan', '=', storableText(scan))
  if (sha256 !== undefined) query = query.where('sha256', '=', storableText(sha256))
  if (repositoryUrl !== undefined) {
    query = query.where('repository_url', '=', storableText(repositoryUrl))
  }
  if (ended !== undefined) query = query.where('ended', '=', ended)
  if (by !== undefined) {
    query = query.where(manyValues(dialect).isTextAmong('by_user', await namesWith(database, by)))
  }
  if (before !== undefined) query = query.where('id', '<', storableText(before))
  return (await query.execute()).map(summaryOf)
}

/** Who evaluated, as far as their name has this part; compared here, as SQLite folds the case of English letters only. */
async function namesWith({ kysely }: Database, part: string): Promise<string[]> {
  const rows = await kysely.selectFrom('evaluations').select('by_user').distinct().execute()
  const folded = foldCase(storableText(part))
  return rows.flatMap(({ by_user: name }) => (foldCase(name).includes(folded) ? [name] : []))
}

/** One evaluation with what was answered; undefined where there is none. */
export async function findEvaluation(
  { kysely }: Database,
  id: string,
): Promise<StoredEvaluation | undefined> {
  // One statement, so that nothing can be removed between the two.
  const row = await kysely
    .selectFrom('evaluations')
    .innerJoin('evaluation_answers', 'evaluation_id', 'id')
    .selectAll()
    .where('id', '=', storableText(id))
    .executeTakeFirst()
  if (row === undefined) return undefined
  return { summary: summaryOf(row), leftOut: row.left_out, body: new Uint8Array(row.body) }
}

/**
 * The evaluations by which these policy scans of artifacts come out, up to some thousands, the newest first: of
 * each the last complete one, and those that began later and found an unsatisfied policy before they broke off (of
 * those that found the same, the last one). Which of them counts is up to the waivers (`countedRun`).
 */
export async function latestEvaluations(
  database: Database,
  places: readonly Place[],
): Promise<EvaluationSummary[]> {
  const { kysely } = database
  const isWanted = new Set(places.map(placeOf))
  const paths = [...new Set(places.map(({ packagePath }) => storableText(packagePath)))]
  const found: EvaluationSummary[] = []
  for (let at = 0; at < paths.length; at += placesAtOnce) {
    const rows = await newestOf(kysely, paths.slice(at, at + placesAtOnce))
      .where((where) =>
        where.or([where('ended', '=', 'complete'), where('verdict', '=', 'not-releasable')]),
      )
      .select((row) =>
        row.case().when('ended', '=', 'complete').then('').else(row.ref('failing')).end().as('why'),
      )
      .groupBy('why')
      .execute()
    const newest = new Map<string, string>()
    const wanted = rows.flatMap(({ id, why, ...place }) => {
      const key = placeOf(place)
      if (!isWanted.has(key)) return []
      if (why === '') newest.set(key, id)
      return [{ key, id }]
    })
    const ids = wanted.flatMap(({ key, id }) => (id >= (newest.get(key) ?? '') ? [id] : []))
    for (let from = 0; from < ids.length; from += placesAtOnce) {
      found.push(...(await findSummaries(database, ids.slice(from, from + placesAtOnce))))
    }
  }
  return found.sort((a, b) => (a.id < b.id ? 1 : -1))
}

/** The id of the newest evaluation of each of these places by its `placeKey`, however it ended. */
export async function newestIds(
  { kysely }: Database,
  places: readonly Place[],
): Promise<ReadonlyMap<string, string>> {
  const paths = [...new Set(places.map(({ packagePath }) => storableText(packagePath)))]
  const newest = new Map<string, string>()
  for (let at = 0; at < paths.length; at += placesAtOnce) {
    const rows = await newestOf(kysely, paths.slice(at, at + placesAtOnce)).execute()
    for (const { id, ...place } of rows) newest.set(placeKey(place), id)
  }
  return newest
}

/** The places of some packages, each with the id of its newest evaluation. */
function newestOf(kysely: Database['kysely'], paths: readonly string[]) {
  return kysely
    .selectFrom('evaluations')
    .select(['package_path as packagePath', 'repository_url as repositoryUrl', 'sha256', 'scan'])
    .select((row) => row.fn.max('id').as('id'))
    .where('package_path', 'in', paths)
    .groupBy(['package_path', 'sha256', 'repository_url', 'scan'])
}

const placesAtOnce = 200

type Place = Pick<EvaluationSummary, 'packagePath' | 'sha256' | 'repositoryUrl' | 'scan'>

function placeOf({ packagePath, sha256, repositoryUrl, scan }: Place): string {
  return JSON.stringify([packagePath, sha256, repositoryUrl, scan].map(storableText))
}

/** The evaluations with these ids, without what was answered; up to some hundreds. */
export async function findSummaries(
  { kysely }: Database,
  ids: readonly string[],
): Promise<EvaluationSummary[]> {
  if (ids.length === 0) return []
  const rows = await kysely
    .selectFrom('evaluations')
    .selectAll()
    .where('id', 'in', ids.map(storableText))
    .execute()
  return rows.map(summaryOf)
}

/** A run of a policy scan, as far as it says which waivers are needed. */
export interface ScanRun {
  readonly packagePath: string
  readonly sha256: string
  readonly scan: string
  /** The URIs of the policies that fail, as far as they are kept, and how many there are. */
  readonly failing: readonly string[]
  readonly unsatisfied: number
  /** When it was recorded for the last time with this outcome, epoch ms. */
  readonly at: number
}

/** The complete runs of a policy scan of all versions of a package since a time, epoch ms: each outcome of an artifact once. */
export async function runsSince(
  { kysely }: Database,
  packageName: string,
  scan: string,
  since: number,
): Promise<ScanRun[]> {
  const rows = await kysely
    .selectFrom('evaluations')
    .select(['package_path', 'sha256', 'failing', 'unsatisfied'])
    .select((row) => row.fn.max('started_at').as('at'))
    .where('package_name', '=', storableText(packageName))
    .where('scan', '=', storableText(scan))
    .where('id', '>=', earliestId(since))
    .where('ended', '=', 'complete')
    .groupBy(['package_path', 'sha256', 'failing', 'unsatisfied'])
    .execute()
  return rows.map(({ package_path: packagePath, failing, ...of }) => ({
    ...{ ...of, packagePath, scan },
    failing: Uris.parse(JSON.parse(failing)),
  }))
}

type Row = Schema['evaluations']

const Uris = EvaluationSummary.shape.failing

function rowOf(summary: EvaluationSummary): Row {
  return {
    id: summary.id,
    started_at: summary.startedAt,
    ended_at: summary.endedAt,
    by_user: storableText(summary.by),
    package_path: storableText(summary.packagePath),
    package_name: storableText(packageNameOf(summary.packagePath)),
    sha256: storableText(summary.sha256),
    repository_url: storableText(summary.repositoryUrl),
    scan: storableText(summary.scan),
    ended: summary.ended,
    verdict: summary.verdict,
    satisfied: summary.counts.satisfied,
    unsatisfied: summary.counts.unsatisfied,
    not_applicable: summary.counts['not-applicable'],
    unknown: summary.counts.unknown,
    results: summary.results,
    unreadable: summary.unreadable,
    failing: JSON.stringify(summary.failing),
    waived: JSON.stringify(summary.waived),
    reasons: summary.reasons === undefined ? null : JSON.stringify(summary.reasons),
  }
}

function summaryOf(row: Row): EvaluationSummary {
  return {
    id: row.id,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    by: row.by_user,
    packagePath: row.package_path,
    sha256: row.sha256,
    repositoryUrl: row.repository_url,
    scan: row.scan,
    ended: row.ended,
    verdict: row.verdict,
    counts: {
      satisfied: row.satisfied,
      unsatisfied: row.unsatisfied,
      'not-applicable': row.not_applicable,
      unknown: row.unknown,
    },
    results: row.results,
    unreadable: row.unreadable,
    failing: Uris.parse(JSON.parse(row.failing)),
    waived: Uris.parse(JSON.parse(row.waived)),
    ...(row.reasons === null ? {} : { reasons: RunReasons.parse(JSON.parse(row.reasons)) }),
  }
}
