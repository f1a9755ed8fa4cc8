import type { BundleCell } from '../../../protocol/evidence-bundle.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { problemError, type ProblemError } from '../../../protocol/problem.ts'
import { packagePath, policyScanPath } from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import { packageUrl, packageUrlText } from '../../../protocol/package-url.ts'
import type { SharedConfig } from '../../../protocol/proxy-config.ts'
import { countOf } from '../../../protocol/count.ts'
import type { Database } from '../../store/database.ts'
import { findEvaluation, listEvaluations } from '../../store/evaluations.ts'

/** What a bundle is about, with the recorded runs that it takes along. */
export interface BundleSubject {
  /** As it stands in a sentence: `the release board "production"`. */
  readonly what: string
  /** Its page, a path. */
  readonly page: string
  /** Of the file: no spaces needed. */
  readonly name: string
  readonly runs: readonly EvaluationSummary[]
  /** Cells that nobody evaluated. */
  readonly missing: readonly BundleCell[]
  /** What is odd about the choice of runs, a sentence each. */
  readonly notes: readonly string[]
  /** The decision that pins the runs; null without one. */
  readonly decision: unknown
}

/** The cells of a board of the configuration. Throws a ProblemError 404 that names the boards. */
export function cellsOfBoard(
  boards: SharedConfig['boards'],
  name: string,
): { readonly title: string; readonly cells: readonly BundleCell[] } {
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
  const cells = board.packages.flatMap(({ purl, sha256, scans }) => {
    const read = readPackageReference(purl)
    if (!read.ok) return []
    const path = packagePath(read.reference.address)
    const own =
      scans.length === 0 ? board.scans : board.scans.filter((scan) => scans.includes(scan))
    return own.map((scan) => ({ packagePath: path, sha256: sha256.toLowerCase(), scan }))
  })
  return { title: board.title ?? board.name, cells }
}

/** So far back a whole run is looked for behind ones that broke off. */
const lookedThrough = 20

/**
 * The last recorded run of each cell, by anybody: the last whole one, and only where there is none, one
 * that broke off.
 */
export async function lastRuns(
  database: Database,
  cells: readonly BundleCell[],
): Promise<Pick<BundleSubject, 'runs' | 'missing' | 'notes'>> {
  const runs: EvaluationSummary[] = []
  const missing: BundleCell[] = []
  let passedOver = 0
  for (const cell of cells) {
    const { packagePath: path, scan, sha256 } = cell
    const recorded = await listEvaluations(database, { path, scan, sha256 }, lookedThrough)
    const run = recorded.find(({ ended }) => ended === 'complete') ?? recorded[0]
    if (run === undefined) missing.push(cell)
    else runs.push(run)
    if (run !== undefined && run !== recorded[0]) passedOver += 1
  }
  const later = countOf(passedOver, 'package and scan', 'packages and scans')
  return {
    runs,
    missing,
    notes:
      passedOver === 0 ? [] : [`For ${later}, a later run broke off; the last whole run is here.`],
  }
}

/** The recorded runs of these ids. */
export async function runsOf(
  database: Database,
  ids: readonly string[],
): Promise<{ readonly runs: readonly EvaluationSummary[]; readonly gone: readonly string[] }> {
  const runs: EvaluationSummary[] = []
  const gone: string[] = []
  for (const id of ids) {
    const found = await findEvaluation(database, id)
    if (found === undefined) gone.push(id)
    else runs.push(found.summary)
  }
  return { runs, gone }
}

/** Refuses what would be a bundle of nothing. */
export function noRuns(what: string): ProblemError {
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

/** A package as people name it: its package URL, or its path where it cannot have one. */
export function packageText(path: string): string {
  const read = readPackageReference(path)
  const purl = read.ok ? packageUrl({ ...read.reference.address }) : undefined
  return purl?.ok === true ? packageUrlText(purl.purl) : path
}
