import { type BoardRow, worstRowsFirst } from '../../../policy/board-row.ts'
import { policyName } from '../../../policy/policy-name.ts'
import { packageText } from '../../domain/package/package-words.ts'
import type { BoardAddress } from './board-address.ts'

/** The rows that the address leaves, in its order. */
export function shownRows(
  rows: readonly BoardRow[],
  { onlyFailing, text, scan, order, open }: BoardAddress,
): readonly BoardRow[] {
  const words = text.trim().toLowerCase()
  const left = rows.filter((row) => {
    const cells = row.cells.filter(
      (cell) => cell !== undefined && (scan === '' || cell.place.scan === scan),
    )
    if (cells.length === 0) return false
    const fails = cells.some(
      // What somebody reads does not go away under their eyes, also when it fails no more.
      (cell) =>
        cell?.verdict === 'not-releasable' ||
        cell?.verdict === 'failed' ||
        cell?.place.key === open,
    )
    return (!onlyFailing || fails) && (words === '' || holds(row, words))
  })
  return order === 'worst' ? worstRowsFirst(left) : left
}

function holds({ of, cells }: BoardRow, words: string): boolean {
  return (
    packageText(of.address).toLowerCase().includes(words) ||
    cells.some((cell) =>
      cell?.cell.known?.outcome.failing.some(({ uri }) =>
        policyName(uri).name.toLowerCase().includes(words),
      ),
    )
  )
}
