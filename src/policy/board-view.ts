import { packagePath } from '../protocol/package-address.ts'
import type { Waiver } from '../protocol/waiver.ts'
import type { Board, BoardPackage, BoardPlace } from './board.ts'
import { type BoardCell, emptyCell } from './board-cell.ts'
import { type BoardRow, boardRow, rowCell } from './board-row.ts'
import { waiversInForce } from './waived-verdict.ts'

/** A board with all that is known of it, row by row as it was written. */
export function boardRows(
  { packages, scans }: Board,
  places: readonly BoardPlace[],
  cells: ReadonlyMap<string, BoardCell>,
  { waivers, now }: { readonly waivers: readonly Waiver[]; readonly now: number },
): readonly BoardRow[] {
  const byRow = new Map<number, Map<string, BoardPlace>>()
  for (const place of places) {
    const ofRow = byRow.get(place.row) ?? new Map<string, BoardPlace>()
    byRow.set(place.row, ofRow.set(place.scan, place))
  }
  return packages.map((one, row) =>
    boardRow(
      row,
      one,
      scans.map((scan) => {
        const place = byRow.get(row)?.get(scan)
        if (place === undefined) return undefined
        const cell = cells.get(place.key) ?? emptyCell
        return rowCell(place, cell, waivedIn(one, scan, waivers, now))
      }),
    ),
  )
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
