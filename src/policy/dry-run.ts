import { countOf, countText } from '../protocol/count.ts'
import type { BoardRow, CellVerdict, RowCell } from './board-row.ts'

/** Two scans side by side over the packages of a board. */
export interface DryRun {
  /** Packages that pass the first scan and fail the other. */
  readonly newlyFailing: readonly BoardRow[]
  /** Packages that fail the first scan and pass the other. */
  readonly noLongerFailing: readonly BoardRow[]
  /** Packages of which one of the two is not known. */
  readonly unknown: number
}

const passing: ReadonlySet<CellVerdict> = new Set([
  'releasable',
  'releasable-with-waivers',
  'releasable-unchecked',
  'nothing-applied',
])

/** What would become of each package if `to` took the place of `from`; packages without both are left out. */
export function dryRun(rows: readonly BoardRow[], from: string, to: string): DryRun {
  const newlyFailing: BoardRow[] = []
  const noLongerFailing: BoardRow[] = []
  let unknown = 0
  for (const row of rows) {
    const [before, after] = [cellOf(row, from), cellOf(row, to)]
    if (before === undefined || after === undefined) continue
    const [was, is] = [passes(before), passes(after)]
    if (was === undefined || is === undefined) unknown += 1
    else if (was && !is) newlyFailing.push(row)
    else if (!was && is) noLongerFailing.push(row)
  }
  return { newlyFailing, noLongerFailing, unknown }
}

function cellOf({ cells }: BoardRow, scan: string): RowCell | undefined {
  return cells.find((cell) => cell?.place.scan === scan)
}

function passes({ verdict }: RowCell): boolean | undefined {
  if (verdict === 'not-releasable') return false
  return passing.has(verdict) ? true : undefined
}

/** "release-next would newly fail 4 packages that pass release; 1 would no longer fail; 2 not known." */
export function dryRunSentence(
  { newlyFailing, noLongerFailing, unknown }: DryRun,
  from: string,
  to: string,
): string {
  const fails =
    newlyFailing.length === 0
      ? `${to} would fail no package that passes ${from}`
      : `${to} would newly fail ${countOf(newlyFailing.length, 'package')} that ${newlyFailing.length === 1 ? 'passes' : 'pass'} ${from}`
  return `${[
    fails,
    ...(noLongerFailing.length > 0
      ? [`${countText(noLongerFailing.length)} would no longer fail`]
      : []),
    ...(unknown > 0 ? [`${countText(unknown)} not known yet`] : []),
  ].join('; ')}.`
}
