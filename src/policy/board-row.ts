import type { Waiver } from '../protocol/waiver.ts'
import type { BoardPackage, BoardPlace } from './board.ts'
import { type BoardCell, type CellVerdict, cellVerdict } from './board-cell.ts'
import { policyKey, policyName } from './policy-name.ts'

/** A cell in its row, with what it says. */
export interface RowCell {
  readonly place: BoardPlace
  readonly cell: BoardCell
  readonly verdict: CellVerdict
  /** The waivers that count for it, by policy key. */
  readonly waived: ReadonlyMap<string, Waiver>
}

/** A package of the board with its cells and what to do for it. */
export interface BoardRow {
  /** Its place as the board was written. */
  readonly row: number
  readonly of: BoardPackage
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
  'releasable-with-waivers',
  'releasable',
  'nothing-applied',
]

/** Puts a row together from its cells. */
export function boardRow(
  row: number,
  of: BoardPackage,
  cells: readonly (RowCell | undefined)[],
): BoardRow {
  const there = cells.filter((cell) => cell !== undefined)
  const verdict = worstFirst.find((one) => there.some((cell) => cell.verdict === one)) ?? 'open'
  return { row, of, cells, verdict, next: nextStep(there) }
}

/** A cell with its verdict. */
export function rowCell(
  place: BoardPlace,
  cell: BoardCell,
  waived: ReadonlyMap<string, Waiver>,
): RowCell {
  return { place, cell, waived, verdict: cellVerdict(cell, waived) }
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
  const fault = cells.find(({ cell }) => cell.fault !== undefined)?.cell.fault
  if (fault === undefined) return undefined
  const { detail, title } = fault.problem
  return { policy: '', remedy: detail ?? title, more: 0 }
}
