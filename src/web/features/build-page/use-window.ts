import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useState } from 'react'
import type { Window } from '../../data/build/build-event-messages.ts'

/** A stretch of a list, and how long the whole is. */
export interface Stretch<T> {
  readonly total: number
  readonly rows: readonly T[]
}

/** A long list of which the rows in sight are there. */
export interface WindowedRows<T> {
  /** Told the element that scrolls, while there is one. */
  readonly setScroller: (element: HTMLDivElement | null) => void
  readonly total: number
  /** Whether nothing has been answered yet. */
  readonly isPending: boolean
  /** The height of the whole list, px. */
  readonly height: number
  /** What is in sight; a row that is still on its way is undefined. */
  readonly items: readonly {
    readonly index: number
    readonly top: number
    readonly row: T | undefined
  }[]
  readonly rowAt: (index: number) => T | undefined
  readonly scrollTo: (index: number) => void
}

/** What the rows of an answer are. */
type RowOf<A extends Stretch<unknown>> = A['rows'][number]

/** What of the scrolling element lies above the rows, px: the heads of the columns. */
const headHeight = 28

/** Rows are asked for in stretches that begin at multiples of this. */
const step = 50

/**
 * Rows of a list that lives elsewhere, asked for as they come into sight. `key` tells the list from
 * others, and changes when its content does; while a new answer is on its way the old rows stay.
 */
export function useWindow<A extends Stretch<unknown>>(
  key: readonly unknown[] | undefined,
  ask: (window: Window) => Promise<A>,
  rowHeight: number,
): WindowedRows<RowOf<A>> & { readonly answer: A | undefined } {
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const [wanted, setWanted] = useState<Window>({ from: 0, count: 2 * step })
  const { data, isPending } = useQuery({
    queryKey: ['build-window', ...(key ?? []), wanted],
    queryFn: async () => ({ from: wanted.from, answer: await ask(wanted) }),
    enabled: key !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 10_000,
    retry: false,
  })
  const total = data?.answer.total ?? 0
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroller,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
    onChange: ({ range }) => {
      if (range === null) return
      const from = Math.max(0, Math.floor((range.startIndex - step / 2) / step) * step)
      const count = Math.ceil((range.endIndex + step / 2 - from) / step) * step
      setWanted((now) => (now.from === from && now.count === count ? now : { from, count }))
    },
  })
  useEffect(() => {
    virtualizer.measure()
  }, [virtualizer, rowHeight])

  const rowAt = useCallback(
    (index: number): RowOf<A> | undefined => data?.answer.rows[index - data.from],
    [data],
  )
  return {
    setScroller,
    total,
    isPending,
    answer: data?.answer,
    height: virtualizer.getTotalSize(),
    rowAt,
    items: virtualizer
      .getVirtualItems()
      .map(({ index, start }) => ({ index, top: start - headHeight, row: rowAt(index) })),
    scrollTo: (index) => {
      virtualizer.scrollToIndex(index)
    },
  }
}
