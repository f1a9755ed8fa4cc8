import { useMediaQuery } from '@mantine/hooks'
import { type RefObject, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** The rows of a long list that are in the document, and the height of all of them, px. */
export interface VirtualRows {
  readonly items: readonly { readonly index: number; readonly top: number }[]
  readonly height: number
}

/**
 * Which rows of a long list are in the document: those in sight, and the current one wherever the
 * list is scrolled to, as it may have the focus. `head` is what stands above the rows within what
 * scrolls, px.
 */
export function useVirtualRows({
  count,
  rowHeight,
  scroller,
  current,
  head = 0,
}: {
  count: number
  rowHeight: number
  scroller: RefObject<HTMLElement | null>
  current?: number | undefined
  head?: number
}): VirtualRows {
  const [sight, setSight] = useState<RowRange>({ first: 0, end: 0 })
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    let known: RowRange = { first: 0, end: 0 }
    const look = (): void => {
      const next = rowsInSight(element.scrollTop - head, element.clientHeight, rowHeight)
      if (next.first === known.first && next.end === known.end) return
      known = next
      setSight(next)
    }
    // At once, or a fast scroll would show where no row is yet.
    const scrolled = (): void => {
      flushSync(look)
    }
    look()
    const resized = new ResizeObserver(look)
    resized.observe(element)
    element.addEventListener('scroll', scrolled, { passive: true })
    return () => {
      resized.disconnect()
      element.removeEventListener('scroll', scrolled)
    }
  }, [scroller, rowHeight, head])
  return {
    items: rowsToShow(sight, count, current).map((index) => ({ index, top: index * rowHeight })),
    height: count * rowHeight,
  }
}

/** Rows from `first` up to `end`, which is not among them. */
export interface RowRange {
  readonly first: number
  readonly end: number
}

/** How many rows more than those in sight are in the document, above and below. */
const overscan = 8

/** The rows of `rowHeight` that a window of `height` shows, which begins at `top` of them, all px. */
export function rowsInSight(top: number, height: number, rowHeight: number): RowRange {
  return {
    first: Math.max(0, Math.floor(top / rowHeight) - overscan),
    end: height === 0 ? 0 : Math.max(0, Math.ceil((top + height) / rowHeight) + overscan),
  }
}

/** The places of the rows in the document, in order: those in sight, and the current one. */
export function rowsToShow(
  { first, end }: RowRange,
  count: number,
  current: number | undefined,
): readonly number[] {
  const from = Math.min(first, count)
  const rows = Array.from({ length: Math.max(0, Math.min(end, count) - from) }, (_, i) => from + i)
  if (current === undefined || current >= count || rows.includes(current)) return rows
  return current < from ? [current, ...rows] : [...rows, current]
}

/** Below this width (px) builds are cards; the style sheets of their lists have it, too. */
const isNarrow = '(max-width: 699px)'

/** The height of a row, px: of a card, of a row for fingers, or of a row. */
export function useRowHeight(): number {
  const isCard = useMediaQuery(isNarrow, false, { getInitialValueInEffect: false })
  const isTouched = useMediaQuery('(pointer: coarse)', false, { getInitialValueInEffect: false })
  return isCard ? 88 : isTouched ? 44 : 32
}

/** Scrolls as little as shows the row at `index`; never smoothly. `head` stays above the rows, px. */
export function revealRow(scroller: HTMLElement, index: number, height: number, head = 0): void {
  const top = index * height
  if (top < scroller.scrollTop) scroller.scrollTop = top
  const bottom = top + height + head - scroller.clientHeight
  if (bottom > scroller.scrollTop) scroller.scrollTop = bottom
}
