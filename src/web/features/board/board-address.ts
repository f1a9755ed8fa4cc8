import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { type BoardRow, worstRowsFirst } from '../../../policy/board-row.ts'
import { policyName } from '../../../policy/policy-group.ts'
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

/** Reads it; what cannot be read is as if not said. */
export function readBoardAddress(search: URLSearchParams): BoardAddress {
  return {
    onlyFailing: search.get('show') === 'failing',
    text: search.get('q') ?? '',
    scan: search.get('scan') ?? '',
    order: search.get('order') === 'written' ? 'written' : 'worst',
    open: search.get('open') ?? '',
  }
}

/** Writes it into an address, of which all else is kept; what is as usual is left out. */
export function writeBoardAddress(address: BoardAddress, search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search)
  const put = (name: string, value: string): void => {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  put('show', address.onlyFailing ? 'failing' : '')
  put('q', address.text)
  put('scan', address.scan)
  put('order', address.order === 'written' ? 'written' : '')
  put('open', address.open)
  return next
}

/** What is looked at, and the way to change it. */
export function useBoardAddress(): readonly [
  BoardAddress,
  (change: Partial<BoardAddress>) => void,
] {
  const [search, setSearch] = useSearchParams()
  const address = useMemo(() => readBoardAddress(search), [search])
  const change = useCallback(
    (part: Partial<BoardAddress>) => {
      setSearch((now) => writeBoardAddress({ ...readBoardAddress(now), ...part }, now), {
        replace: true,
        flushSync: true,
      })
    },
    [setSearch],
  )
  return [address, change]
}

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
