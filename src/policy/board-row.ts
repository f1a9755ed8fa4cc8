import type { BoardOutcome } from '../protocol/board-run.ts'
import type { UncheckedPolicy } from '../protocol/evaluation.ts'
import { packagePath } from '../protocol/package-address.ts'
import type { ProblemDetail } from '../protocol/problem.ts'
import type { Waiver } from '../protocol/waiver.ts'
import type { Board, BoardPackage, BoardPlace } from './board.ts'
import { policyKey, policyName } from './policy-group.ts'
import {
  type AbsentPolicies,
  absentPolicies,
  evidenceGaps,
  mayLackText,
  type MissingPolicy,
} from './severity.ts'
import { countedRun, countedVerdict, type WaivedVerdict, waiversInForce } from './waived-verdict.ts'

/** A cell in its row, with what it says. */
export interface RowCell {
  readonly place: BoardPlace
  /** Of several runs that may count it knows the one that does. */
  readonly cell: BoardCell
  /** What `cell` was made of. */
  readonly of: BoardCell
  readonly verdict: CellVerdict
  /** The waivers that count for it, by policy key. */
  readonly waived: ReadonlyMap<string, Waiver>
  /** Policies that the board requires and that weren't checked: they keep it from being released. */
  readonly missing: readonly MissingPolicy[]
  /** Further ones of a high severity: shown, and never like a pass. */
  readonly unchecked: readonly UncheckedPolicy[]
  /** Whether it may lack more that is required: not all of its policies are kept. */
  readonly mayLack: boolean
}

/** A package of the board with its cells and what to do for it. */
export interface BoardRow {
  /** Its place as the board was written. */
  readonly row: number
  readonly of: BoardPackage
  /** Only its repository tells it from another package of the board. */
  readonly needsRepository: boolean
  /** In the order of the columns; undefined where the package is not for that scan. */
  readonly cells: readonly (RowCell | undefined)[]
  /** The worst of its cells. */
  readonly verdict: CellVerdict
  /** Undefined where nothing is to be done. */
  readonly next: NextStep | undefined
}

/** What to do next for a package: about its worst policy, and how many more there are. */
export interface NextStep {
  /** The name of a policy; empty where the evaluation itself failed. */
  readonly policy: string
  /** One plain sentence; may be empty. */
  readonly remedy: string
  /** Further failing policies of the package. */
  readonly more: number
}

/** From worst to best: the first that any cell has is the package's. */
const worstFirst: readonly CellVerdict[] = [
  'not-releasable',
  'failed',
  'undecided',
  'open',
  // Nothing speaks for it: that is no pass.
  'nothing-applied',
  'releasable-with-waivers',
  'releasable-unchecked',
  'releasable',
]

function boardRow(
  row: number,
  of: BoardPackage,
  needsRepository: boolean,
  cells: readonly (RowCell | undefined)[],
): BoardRow {
  const there = cells.filter((cell) => cell !== undefined)
  const verdict = worstFirst.find((one) => there.some((cell) => cell.verdict === one)) ?? 'open'
  return { row, of, needsRepository, cells, verdict, next: nextStep(there) }
}

/** A cell before its verdict. */
type CountedCell = Pick<RowCell, 'place' | 'cell' | 'of' | 'waived'>

/** A cell with its verdict; `absent` is what no scan of its package has. */
function rowCell(
  counted: CountedCell,
  require: readonly string[],
  absent: AbsentPolicies,
): RowCell {
  const { cell, waived } = counted
  const verdict = cellVerdict(cell, waived)
  if (verdict === 'failed' || cell.known === undefined) {
    return { ...counted, missing: [], unchecked: [], mayLack: false, verdict }
  }
  const { missing, unchecked, isUnknown } = evidenceGaps(cell.known.outcome, require, absent)
  return {
    ...counted,
    missing,
    unchecked,
    mayLack: isUnknown,
    verdict: missing.length > 0 ? 'not-releasable' : lacking(verdict, unchecked, isUnknown),
  }
}

/** What counts of a cell for what its package has. */
function countedOutcome({ cell: { known, fault } }: CountedCell): BoardOutcome | undefined {
  return fault === undefined ? known?.outcome : undefined
}

/** With the run that counts as what is known of it (`countedRun`). */
function countedCell(cell: BoardCell, waived: ReadonlyMap<string, Waiver>): BoardCell {
  const { known } = cell
  if (known?.outcome.before === undefined) return cell
  const runs = [known, ...known.outcome.before].map(({ at, outcome }) => ({
    ...{ at, outcome, counts: outcome.counts, ended: outcome.ended ?? 'complete' },
    failing: failingUris(outcome),
  }))
  const { at, outcome } = countedRun(runs, waived) ?? known
  return { ...cell, known: { at, outcome } }
}

function failingUris({ failing }: BoardOutcome): string[] {
  return failing.flatMap(({ uri, status }) => (status === 'unsatisfied' ? [uri] : []))
}

/** A verdict that lets a package pass, where proof is missing or not known to be there. */
function lacking(
  verdict: CellVerdict,
  unchecked: readonly UncheckedPolicy[],
  isUnknown: boolean,
): CellVerdict {
  switch (verdict) {
    case 'releasable':
      return isUnknown ? 'undecided' : unchecked.length > 0 ? 'releasable-unchecked' : verdict
    case 'releasable-with-waivers':
    case 'nothing-applied':
      return isUnknown ? 'undecided' : verdict
    case 'releasable-unchecked':
    case 'not-releasable':
    case 'undecided':
    case 'failed':
    case 'open':
      return verdict
  }
}

/** The worst package first, those alike as they were written. */
export function worstRowsFirst(rows: readonly BoardRow[]): readonly BoardRow[] {
  const rank = ({ verdict }: BoardRow): number => worstFirst.indexOf(verdict)
  const weight = ({ cells }: BoardRow): number =>
    cells.filter((cell) => cell?.verdict === 'not-releasable').length
  return [...rows].sort((a, b) => rank(a) - rank(b) || weight(b) - weight(a) || a.row - b.row)
}

/** A policy is the worse the more scans it fails in; a failure without a policy comes last. */
function nextStep(cells: readonly RowCell[]): NextStep | undefined {
  const failing = new Map<string, { count: number; uri: string; remedy: string }>()
  for (const { cell, waived } of cells) {
    for (const { uri, status, remedy } of cell.known?.outcome.failing ?? []) {
      const key = policyKey(uri)
      if (status === 'unsatisfied' && waived.has(key)) continue
      const policy = failing.get(key)
      if (policy === undefined) failing.set(key, { count: 1, uri, remedy })
      else {
        policy.count += 1
        policy.remedy ||= remedy
      }
    }
  }
  const [worst] = [...failing.values()].sort((a, b) => b.count - a.count)
  if (worst !== undefined) {
    const { name } = policyName(worst.uri)
    return { policy: name, remedy: worst.remedy, more: failing.size - 1 }
  }
  const missing = cells.flatMap((cell) => cell.missing)
  const [lacks] = [...missing, ...cells.flatMap(({ unchecked }) => unchecked)]
  const fault = cells.find(({ cell }) => cell.fault !== undefined)?.cell.fault
  if (fault === undefined) {
    if (lacks === undefined) {
      const isUnknown = cells.some((cell) => cell.mayLack)
      return isUnknown ? { policy: '', remedy: mayLackText, more: 0 } : undefined
    }
    const { name } = policyName(lacks.uri)
    const why = missing.length > 0 ? ' The board requires it.' : ''
    const remedy =
      missing[0]?.isAbsent === true
        ? 'Not in the response, but the board requires it. It may have been renamed or removed.'
        : `Was not checked: its evidence is missing.${why}`
    return { policy: name, remedy, more: 0 }
  }
  const { detail, title } = fault.problem
  return { policy: '', remedy: detail ?? title, more: 0 }
}

/** What is being done for a cell at this moment; times are epoch ms by the server's clock. */
export type BoardDoing =
  | { readonly is: 'idle' }
  /** It is this cell's turn later. */
  | { readonly is: 'queued' }
  | { readonly is: 'asking' }
  | { readonly is: 'reading' }
  /** The service was busy, or its response broke off: requested again at `until`. */
  | { readonly is: 'waiting'; readonly until: number; readonly reason: string }

/** A cell at one moment: a result stays while a newer one is on its way. */
export interface BoardCell {
  readonly doing: BoardDoing
  /** The last whole result, and when it came in (epoch ms). */
  readonly known: { readonly at: number; readonly outcome: BoardOutcome } | undefined
  /** Why the last attempt brought none; undefined where it did. */
  readonly fault:
    | { readonly is: 'refused' | 'broken'; readonly at: number; readonly problem: ProblemDetail }
    | undefined
}

/** Why a cell that failed has no result, in one or two words; the problem's own sentence says what to do. */
export function failedWord({ fault }: BoardCell): string {
  if (fault === undefined) return 'no response'
  const { type, status } = fault.problem
  if (isNotAllowed(fault)) return 'not allowed'
  if (type === 'urn:sightline:problem:upstream-auth') return 'no access'
  if (status === 404) return 'not found'
  if (status === 429 || status === 503) return 'busy'
  if (status === 500) return 'failed'
  return status < 500 && status !== 408 ? 'rejected' : 'no response'
}

/** Whether Sightline refused it to who requested it, which says nothing of the package. */
export function isNotAllowed({ problem }: { readonly problem: ProblemDetail }): boolean {
  return /^urn:sightline:problem:(?:outside-limits|no-permission)$/.test(problem.type)
}

export const emptyCell: BoardCell = { doing: { is: 'idle' }, known: undefined, fault: undefined }

/** A result older than this, ms, is called stale: what is released may have changed since. */
export const staleAfterMs = 24 * 3_600_000

/** What a cell says: a verdict, that the request failed, or that none was made yet. */
export type CellVerdict = WaivedVerdict['verdict'] | 'releasable-unchecked' | 'failed' | 'open'

/**
 * The verdict of a cell with the waivers in force for its artifact and scan, by policy key. What the
 * last attempt did not bring is 'failed', whatever was known before: it may be out of date.
 */
function cellVerdict(
  { known, fault }: BoardCell,
  waived: ReadonlyMap<string, Waiver>,
): CellVerdict {
  if (fault !== undefined) return 'failed'
  if (known === undefined) return 'open'
  return outcomeVerdict(known.outcome, waived)
}

/** What a result comes to with the waivers in force for it, by policy key. */
export function outcomeVerdict(
  outcome: BoardOutcome,
  waived: ReadonlyMap<string, Waiver>,
): WaivedVerdict['verdict'] {
  const pardoned = failingUris(outcome).filter((uri) => waived.has(policyKey(uri)))
  return countedVerdict(outcome, pardoned.length)
}

/** The waivers of a board, and the time at which they are counted, epoch ms. */
interface CountedWaivers {
  readonly waivers: readonly Waiver[]
  readonly now: number
}

/** A board with all that is known of it, row by row as it was written. */
export function boardRows(
  board: Board,
  places: readonly BoardPlace[],
  cells: ReadonlyMap<string, BoardCell>,
  counted: CountedWaivers,
): readonly BoardRow[] {
  return createBoardRows(board, places)(cells, counted)
}

/** Makes the same for a board that is drawn again and again: unchanged rows, or all of them, are the same object. */
export function createBoardRows(
  { packages, scans, require = [] }: Board,
  places: readonly BoardPlace[],
): (cells: ReadonlyMap<string, BoardCell>, counted: CountedWaivers) => readonly BoardRow[] {
  const byRow = packages.map(() => new Map<string, BoardPlace>())
  for (const place of places) byRow[place.row]?.set(place.scan, place)
  const alike = rowsAlike(packages)
  const repositories = repositoriesOf(packages)
  let rows: readonly BoardRow[] = []
  let last: CountedWaivers | undefined

  return (cells, counted) => {
    const { waivers, now } = counted
    const isAsBefore = last?.waivers === waivers && last.now === now
    const cellOf = (place: BoardPlace): BoardCell => cells.get(place.key) ?? emptyCell
    const isUnchanged = (row: number): boolean =>
      rows[row]?.cells.every((cell) => cell === undefined || cell.of === cellOf(cell.place)) ??
      false
    const countedCells = (row: number): readonly (CountedCell | undefined)[] =>
      scans.map((scan) => {
        const [one, place] = [packages[row], byRow[row]?.get(scan)]
        if (one === undefined || place === undefined) return undefined
        const of = cellOf(place)
        const waived = waivedIn(one, scan, waivers, now)
        return { place, of, waived, cell: countedCell(of, waived) }
      })
    const next = packages.map((one, row) => {
      const before = rows[row]
      const others = alike[row] ?? [row]
      if (isAsBefore && before !== undefined && others.every(isUnchanged)) return before
      const ofRow = countedCells(row)
      const ofPackage = others.flatMap((other) => (other === row ? ofRow : countedCells(other)))
      const absent = absentPolicies(
        require,
        ofPackage.flatMap((cell) => (cell === undefined ? [] : [countedOutcome(cell)])),
      )
      return boardRow(
        row,
        one,
        (repositories.get(nameKey(one))?.size ?? 0) > 1,
        ofRow.map((cell) => cell && rowCell(cell, require, absent)),
      )
    })
    last = counted
    if (rows.length !== next.length || next.some((row, index) => row !== rows[index])) rows = next
    return rows
  }
}

/** Of each row those of the same package: one may stand in several, each for scans of its own. */
function rowsAlike(packages: readonly BoardPackage[]): readonly (readonly number[])[] {
  const byPackage = new Map<string, number[]>()
  return packages.map(({ address, sha256, repositoryUrl }, row) => {
    const key = JSON.stringify([packagePath(address), sha256, repositoryUrl])
    const rows = byPackage.get(key) ?? []
    if (rows.length === 0) byPackage.set(key, rows)
    rows.push(row)
    return rows
  })
}

/** By what a row is named, the repositories that such packages are in. */
function repositoriesOf(packages: readonly BoardPackage[]): ReadonlyMap<string, Set<string>> {
  const all = new Map<string, Set<string>>()
  for (const one of packages) {
    const key = nameKey(one)
    all.set(key, (all.get(key) ?? new Set()).add(one.repositoryUrl))
  }
  return all
}

function nameKey({ address, sha256 }: BoardPackage): string {
  return `${packagePath(address)} ${sha256}`
}

const nothing: ReadonlyMap<string, Waiver> = new Map()

function waivedIn(
  { address, sha256 }: BoardPackage,
  scan: string,
  waivers: readonly Waiver[],
  now: number,
): ReadonlyMap<string, Waiver> {
  if (waivers.length === 0) return nothing
  return waiversInForce(waivers, { packagePath: packagePath(address), sha256, scan }, now)
}
