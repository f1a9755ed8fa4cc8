import { useEffect, useState } from 'react'
import { revealRow } from '../../ui/row-height.ts'

/** The rows in sight of a list whose rows are all as high. */
export interface FixedRows {
  /** Told the element that scrolls, while there is one. */
  readonly setScroller: (element: HTMLElement | null) => void
  /** The height of all rows, px. */
  readonly height: number
  /** The rows to show, with where each begins, px. */
  readonly rows: readonly { readonly index: number; readonly top: number }[]
  /** How many rows there is room for. */
  readonly page: number
  /** Scrolls as little as brings a row into sight. */
  readonly reveal: (index: number) => void
}

/** Rows beyond the edges, so that scrolling meets no gap. */
const beyond = 12

/** Costs the same for a hundred rows and for a million. */
export function useFixedRows(count: number, rowHeight: number): FixedRows {
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const [view, setView] = useState({ first: 0, page: 40 })
  useEffect(() => {
    if (scroller === null) return
    const look = (): void => {
      const first = Math.floor(scroller.scrollTop / rowHeight)
      const page = Math.ceil(scroller.clientHeight / rowHeight)
      setView((now) => (now.first === first && now.page === page ? now : { first, page }))
    }
    const resized = new ResizeObserver(look)
    resized.observe(scroller)
    scroller.addEventListener('scroll', look, { passive: true })
    return () => {
      resized.disconnect()
      scroller.removeEventListener('scroll', look)
    }
  }, [scroller, rowHeight])

  const from = Math.max(0, Math.min(view.first, count - view.page) - beyond)
  const to = Math.min(count, view.first + view.page + beyond)
  return {
    setScroller,
    height: count * rowHeight,
    rows: Array.from({ length: Math.max(0, to - from) }, (_, at) => ({
      index: from + at,
      top: (from + at) * rowHeight,
    })),
    page: view.page,
    reveal: (index) => {
      if (scroller !== null) revealRow(scroller, index, rowHeight)
    },
  }
}
