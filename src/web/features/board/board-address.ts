import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'

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
