import {
  concernSentence,
  concernsOf,
  decidedText,
  placeStates,
  requiredVerdict,
} from '../../../policy/decision.ts'
import { policyName } from '../../../policy/policy-group.ts'
import { mayLackText } from '../../../policy/severity.ts'
import { countedRun, countedVerdict, waiversInForce } from '../../../policy/waived-verdict.ts'
import { countOf } from '../../../protocol/count.ts'
import {
  byPlace,
  type DecidedVerdict,
  type Decision,
  type DecisionSubject,
  placeKey,
} from '../../../protocol/decision.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import type { BundleCell } from '../../../protocol/evidence-bundle.ts'
import { packagePath, policyScanPath } from '../../../protocol/package-address.ts'
import { packageTextAt, readPackageReference } from '../../../protocol/package-reference.ts'
import { problemError, type ProblemError } from '../../../protocol/problem.ts'
import type { SharedConfig } from '../../../protocol/proxy-config.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import type { Database } from '../../store/database.ts'
import { findDecision, newestDecision, runsById } from '../../store/decisions.ts'
import { findSummaries, latestEvaluations, newestIds } from '../../store/evaluations.ts'
import { listWaivers } from '../../store/waivers.ts'

/** What a bundle is about, with the recorded runs that it takes along. */
export interface BundleSubject {
  /** As it stands in a sentence: `the release board "production"`. */
  readonly what: string
  /** Its page, a path. */
  readonly page: string
  /** Of the file: no spaces needed. */
  readonly name: string
  readonly runs: readonly EvaluationSummary[]
  /** What each run comes to, by its id, with the waivers that count and what its board requires. */
  readonly verdicts: ReadonlyMap<string, DecidedVerdict>
  /** Cells that nobody evaluated. */
  readonly missing: readonly BundleCell[]
  /** All waivers of the packages, those that are over included. */
  readonly waivers: readonly Waiver[]
  /** What is odd about the choice of runs, a sentence each. */
  readonly notes: readonly string[]
  readonly decision: DecidedEvidence | undefined
}

/** A decision as a bundle has it. */
export interface DecidedEvidence {
  readonly sentence: string
  /** What `decision.json` holds. */
  readonly record: object
}

/** What was asked for, before it is looked up. */
export type WantedEvidence =
  | { readonly is: 'run'; readonly id: string }
  | { readonly is: 'decision'; readonly id: string }
  | {
      readonly is: 'cells'
      readonly what: string
      readonly page: string
      readonly name: string
      readonly cells: readonly BundleCell[]
      /** The name of a configured board. */
      readonly board: string | undefined
      /** Policies that the board requires to have been applicable. */
      readonly require: readonly string[]
    }

/**
 * Looks up what is wanted as of a time, epoch ms: a run as it was, a decision with the runs that it
 * pins, or the last whole run of each cell with the waivers in force now. Throws a ProblemError 404
 * where nothing is recorded.
 */
export async function evidenceOf(
  database: Database,
  wanted: WantedEvidence,
  at: number,
): Promise<BundleSubject> {
  switch (wanted.is) {
    case 'run':
      return evidenceOfRun(database, wanted.id, at)
    case 'decision':
      return evidenceOfDecision(database, wanted.id, at)
    case 'cells':
      return evidenceOfCells(database, wanted, at)
  }
}

async function evidenceOfRun(database: Database, id: string, at: number): Promise<BundleSubject> {
  const run = (await runsById(database, [id])).get(id)
  if (run === undefined) throw noRuns(`id ${id.slice(0, 100)}`)
  return {
    what: `run ${run.id} of the scan "${run.scan}" on ${packageTextAt(run.packagePath)}`,
    page: runPage(run),
    name: `run-${run.id}`,
    runs: [run],
    verdicts: new Map([[run.id, countedVerdict(run, run.waived.length)]]),
    missing: [],
    waivers: await waiversOf(database, [run], at),
    notes: [],
    decision: undefined,
  }
}

/** The runs that a release pins; of a revocation, those of the release that it revokes. */
async function evidenceOfDecision(
  database: Database,
  id: string,
  at: number,
): Promise<BundleSubject> {
  const asked = await findDecision(database, id)
  const release =
    asked?.decision.action === 'revoke'
      ? await findDecision(database, asked.decision.revokes)
      : asked
  if (asked === undefined || release === undefined) {
    throw problemError(404, 'no-decision', 'Decision not found', 'No decision has this id.')
  }
  const { subject } = release.decision
  const newest = await newestDecision(database, subject)
  const ids = release.places.flatMap(({ run }) => run ?? [])
  const found = await runsById(database, ids)
  const runs = [...found.values()]
  const gone = new Set(ids).size - found.size
  const isOvertaken = newest !== undefined && newest.id !== asked.decision.id
  const sentence = sentenceOf(asked.decision)
  return {
    what: `the decision ${asked.decision.id} on ${subjectText(subject)}`,
    page: pageOf(subject),
    name: `decision-${asked.decision.id}`,
    runs,
    verdicts: new Map(
      release.places.flatMap(({ run, verdict }) => (run === null ? [] : [[run, verdict]])),
    ),
    missing: release.places.filter(({ run }) => run === null),
    waivers: await waiversOf(database, runs, at),
    notes: [
      ...(isOvertaken ? [`A later decision was made: ${sentenceOf(newest)}`] : []),
      ...(gone > 0 ? [`${countOf(gone, 'run')} of the decision not recorded any more.`] : []),
    ],
    decision: {
      sentence,
      record: {
        sentence,
        decision: written(asked.decision),
        revokes: asked === release ? null : written(release.decision),
        later: isOvertaken ? written(newest) : null,
        places: release.places.map((place) => ({ ...place, endedAt: iso(place.endedAt) })),
      },
    },
  }
}

async function evidenceOfCells(
  database: Database,
  { what, page, name, cells, board, require }: Extract<WantedEvidence, { is: 'cells' }>,
  at: number,
): Promise<BundleSubject> {
  const waivers = await waiversOf(database, cells, at)
  const { runs, missing, notes } = await lastRuns(database, cells, (cell) =>
    waiversInForce(waivers, cell, at),
  )
  const [first] = runs
  if (first === undefined) throw noRuns(what)
  const verdicts = new Map<string, DecidedVerdict>()
  const states = placeStates(
    [
      ...runs.map((run) => ({ place: run, run, waived: waiversInForce(waivers, run, at) })),
      ...missing.map((place) => ({ place, run: undefined, waived: new Map() })),
    ],
    require,
  )
  for (const state of states) {
    const { run, missing: lacking, mayLack } = state
    if (run === undefined) continue
    const where = placeText(state)
    if (lacking.length > 0) {
      const names = lacking.map(({ uri }) => policyName(uri).name).join(', ')
      notes.push(`${where}: the board requires ${names}.`)
    } else if (mayLack) notes.push(`${where}: ${mayLackText}`)
    verdicts.set(run.id, requiredVerdict(state))
  }
  const stale = concernsOf(states, at).find(({ concern }) => concern === 'stale')
  if (stale !== undefined) notes.push(concernSentence(stale))
  const subject: DecisionSubject | undefined =
    board === undefined
      ? cells.length === 1
        ? { is: 'scan', ...artifactOf(first) }
        : undefined
      : { is: 'board', board }
  const newest = subject && (await newestDecision(database, subject))
  return {
    ...{ what, page, name, runs, verdicts, missing, waivers, notes },
    decision: newest && (await decidedOn(database, newest, runs)),
  }
}

function artifactOf({ packagePath, sha256, repositoryUrl, scan }: EvaluationSummary) {
  return { packagePath, sha256, repositoryUrl, scan }
}

/** The newest decision on what is exported, which may stand on earlier runs. */
async function decidedOn(
  database: Database,
  decision: Decision,
  runs: readonly EvaluationSummary[],
): Promise<DecidedEvidence> {
  const places = (await findDecision(database, decision.id))?.places ?? []
  const decided = new Set(places.map(({ run }) => run))
  const later = decision.action === 'revoke' ? 0 : runs.filter(({ id }) => !decided.has(id)).length
  const sentence = `${sentenceOf(decision)}${later > 0 ? ` (${later} of ${countOf(runs.length, 'run')} here ${later === 1 ? 'is' : 'are'} later than the decision)` : ''}`
  return {
    sentence,
    record: {
      sentence,
      decision: written(decision),
      places: places.map((place) => ({ ...place, endedAt: iso(place.endedAt) })),
    },
  }
}

function sentenceOf(decision: Decision): string {
  return decidedText(decision, subjectText(decision.subject))
}

function subjectText(subject: DecisionSubject): string {
  return subject.is === 'board'
    ? `the release board "${subject.board}"`
    : `the scan "${subject.scan}" on ${packageTextAt(subject.packagePath)}`
}

function pageOf(subject: DecisionSubject): string {
  return subject.is === 'board' ? `/board/${encodeURIComponent(subject.board)}` : scanPage(subject)
}

/** The page of a policy scan of one artifact. */
export function scanPage({ packagePath: path, scan, sha256, repositoryUrl }: BundleCell): string {
  const search = new URLSearchParams({ sha256, repository: repositoryUrl })
  return `${path}/policy-scans/${encodeURIComponent(scan)}?${search.toString()}`
}

function written(decision: Decision): object {
  return { ...decision, at: iso(decision.at) }
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

/** The waivers of the packages of these runs or cells; one for several versions is listed for each of them. */
async function waiversOf(
  database: Database,
  runs: readonly BundleCell[],
  now: number,
): Promise<readonly Waiver[]> {
  const byId = new Map<string, Waiver>()
  for (const path of new Set(runs.map(({ packagePath }) => packagePath))) {
    for (const waiver of await listWaivers(database, { path, now })) byId.set(waiver.id, waiver)
  }
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** The cells of a board of the configuration. Throws a ProblemError 404 that names the boards. */
export function cellsOfBoard(
  boards: SharedConfig['boards'],
  name: string,
): Pick<Extract<WantedEvidence, { is: 'cells' }>, 'cells' | 'require'> & {
  readonly title: string
} {
  const board = boards.find((one) => one.name === name)
  if (board === undefined) {
    const names = boards.map((one) => `"${one.name}"`).join(', ')
    throw problemError(
      404,
      'no-board',
      'Board not found',
      `There is no configured board "${name.slice(0, 100)}".${names === '' ? '' : ` Configured: ${names}.`}`,
    )
  }
  const cells = board.packages.flatMap(({ purl, sha256, repositoryUrl, scans }) => {
    const read = readPackageReference(purl)
    if (!read.ok) return []
    const path = packagePath(read.reference.address)
    const own =
      scans.length === 0 ? board.scans : board.scans.filter((scan) => scans.includes(scan))
    return own.map((scan) => ({
      packagePath: path,
      sha256: sha256.toLowerCase(),
      repositoryUrl,
      scan,
    }))
  })
  return { title: board.title ?? board.name, cells, require: board.require }
}

/**
 * The run of each cell that counts with its waivers, by anybody; only where there is none, the last one
 * that broke off or was canceled. A newer one that doesn't count is noted.
 */
async function lastRuns(
  database: Database,
  cells: readonly BundleCell[],
  waivedIn: (cell: BundleCell) => ReadonlyMap<string, Waiver>,
): Promise<{ runs: EvaluationSummary[]; missing: BundleCell[]; notes: string[] }> {
  const found = byPlace(await latestEvaluations(database, cells))
  const newest = await newestIds(database, cells)
  const runs: EvaluationSummary[] = []
  const missing: BundleCell[] = []
  const notes: string[] = []
  // One that is named twice is evidence once.
  const byKey = new Map(cells.map((cell) => [placeKey(cell), cell]))
  for (const [key, cell] of byKey) {
    const id = newest.get(key)
    const counted = countedRun(found.get(key) ?? [], waivedIn(cell))
    const run = counted ?? (await findSummaries(database, id === undefined ? [] : [id]))[0]
    if (run === undefined) missing.push(cell)
    else runs.push(run)
    if (run !== undefined && id !== undefined && id > run.id) {
      notes.push(`${placeText(cell)}: the newer run ${id} is incomplete, so run ${run.id} is here.`)
    }
  }
  return { runs, missing, notes }
}

function placeText({ packagePath: path, scan }: Pick<BundleCell, 'packagePath' | 'scan'>): string {
  return `${packageTextAt(path)}, ${scan}`
}

/** Refuses what would be a bundle of nothing. */
function noRuns(what: string): ProblemError {
  return problemError(
    404,
    'no-runs',
    'No recorded runs',
    `No run of ${what} is recorded, so there is no evidence yet. Evaluate it first.`,
  )
}

/** The page of a recorded run. */
export function runPage({ packagePath: path, scan, id }: EvaluationSummary): string {
  const read = readPackageReference(path)
  const page = read.ok ? policyScanPath(read.reference.address, scan) : path
  return `${page}/runs/${id}`
}
