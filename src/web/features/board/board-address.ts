import { type BoardRow, worstRowsFirst } from '../../../policy/board-row.ts'
import { policyName } from '../../../policy/policy-group.ts'
import { choiceParam, flagParam, searchState, textParam } from '../../data/core/search-state.ts'
import { packageText } from '../../domain/package/package-links.ts'

/** What is looked at of a board, as its address says it. */
export interface BoardAddress {
  readonly onlyFailing: boolean
  readonly text: string
  /** One column alone; empty for all. */
  readonly scan: string
  readonly order: 'worst' | 'written'
  /** The key of the cell that is opened; empty for none. */
  readonly open: string
}

/** The address of a board; what cannot be read there is the default. */
export const boardAddress = searchState<BoardAddress>({
  onlyFailing: flagParam('show', 'failing'),
  text: textParam('q'),
  scan: textParam('scan'),
  order: choiceParam('order', ['worst', 'written']),
  open: textParam('open'),
})

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
