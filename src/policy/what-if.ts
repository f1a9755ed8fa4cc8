import { countOf, countText } from '../protocol/count.ts'
import { packagePath } from '../protocol/package-address.ts'
import type { Waiver } from '../protocol/waiver.ts'
import { type AsOf, asOf, changesText, type DatedChange } from './as-of.ts'
import type { BoardRow, CellVerdict, RowCell } from './board-row.ts'

/** A package of which something changes until a date. */
export interface DatedRow {
  readonly row: BoardRow
  /** `keeps`: it comes out as it does today, as far as is known. */
  readonly then: 'keeps' | 'not-releasable' | 'undecided'
  /** By the scan that they are in, in the order of time. */
  readonly changes: readonly (DatedChange & { readonly scan: string })[]
}

/** A board as it stands now, and on a date if nothing is done. */
export interface BoardAsOf {
  /** Those that get worse first; else as they were. */
  readonly rows: readonly DatedRow[]
  readonly isReleasable: boolean
  /** Results that an older release recorded: they don't say which dates they name. */
  readonly undated: number
}

const passing: ReadonlySet<CellVerdict> = new Set([
  'releasable',
  'releasable-with-waivers',
  'releasable-unchecked',
])

/** What changes on a board between `now` and `date`, both epoch ms. */
export function boardAsOf(
  rows: readonly BoardRow[],
  waivers: readonly Waiver[],
  at: { readonly now: number; readonly date: number },
): BoardAsOf {
  const dated = rows.map((row) => datedRow(row, waivers, at))
  const changing = dated.filter(({ changes }) => changes.length > 0)
  return {
    rows: changing.toSorted((a, b) => worst.indexOf(a.then) - worst.indexOf(b.then)),
    isReleasable: rows.length > 0 && rows.every(({ verdict }) => passing.has(verdict)),
    undated: rows
      .flatMap(({ cells }) => cells)
      .filter(
        (cell) => cell?.cell.known !== undefined && cell.cell.known.outcome.dates === undefined,
      ).length,
  }
}

const worst: readonly DatedRow['then'][] = ['not-releasable', 'undecided', 'keeps']

function datedRow(
  row: BoardRow,
  waivers: readonly Waiver[],
  at: { readonly now: number; readonly date: number },
): DatedRow {
  const path = packagePath(row.of.address)
  const cells = row.cells.flatMap((cell): (AsOf & { scan: string })[] => {
    const { known, fault } = cell?.cell ?? {}
    if (cell === undefined || known === undefined || fault !== undefined) return []
    const { scan } = cell.place
    const of = { packagePath: path, sha256: row.of.sha256, scan }
    return [{ scan, ...asOf({ scan: of, outcome: known.outcome, waivers }, at) }]
  })
  const getsWorse = cells.filter(({ changes }) => changes.length > 0).map(({ then }) => then)
  return {
    row,
    then: !passing.has(row.verdict)
      ? 'keeps'
      : (worst.find((one) => one !== 'keeps' && getsWorse.includes(one)) ?? 'keeps'),
    changes: cells
      .flatMap(({ scan, changes }) => changes.map((one) => ({ ...one, scan })))
      .toSorted((a, b) => a.at - b.at),
  }
}

/** "Releasable today, not on Dec 1: 2 waivers end." `dayText` names the date. */
export function boardAsOfSentence({ rows, isReleasable }: BoardAsOf, dayText: string): string {
  if (rows.length === 0) return `Nothing that is recorded here changes until ${dayText}.`
  const lost = rows.filter(({ then }) => then !== 'keeps')
  if (lost.length === 0) {
    const text = changesText(rows.flatMap(({ changes }) => changes))
    return `Until ${dayText}: ${text}. No package that can be released today is affected.`
  }
  const can = isReleasable ? 'Releasable' : `${countOf(lost.length, 'package')} can be released`
  const not = lost.some(({ then }) => then === 'not-releasable') ? 'not' : 'inconclusive'
  return `${can} today, ${not} on ${dayText}: ${changesText(lost.flatMap(({ changes }) => changes))}.`
}

/** Two scans side by side over the packages of a board. */
interface DryRun {
  /** Packages that pass the first scan and fail the other. */
  readonly newlyFailing: readonly BoardRow[]
  /** Packages that fail the first scan and pass the other. */
  readonly noLongerFailing: readonly BoardRow[]
  /** Packages of which one of the two is not known. */
  readonly unknown: number
}

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
