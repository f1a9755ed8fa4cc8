import { useMediaQuery } from '@mantine/hooks'
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect } from 'react'

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
  const rangeExtractor = useCallback(
    (range: Range) => {
      const inSight = defaultRangeExtractor(range)
      return current === undefined || current >= range.count || inSight.includes(current)
        ? inSight
        : [...inSight, current].sort((a, b) => a - b)
    },
    [current],
  )
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin: head,
    rangeExtractor,
  })
  useEffect(() => {
    virtualizer.measure()
  }, [virtualizer, rowHeight])
  return {
    items: virtualizer.getVirtualItems().map(({ index, start }) => ({ index, top: start - head })),
    height: virtualizer.getTotalSize(),
  }
}

/** Below this width (px) builds are cards; the style sheets of their lists have it, too. */
const isNarrow = '(max-width: 699px)'

/** The height of a row, px: of a card, of a row for fingers, or of a row. */
export function useRowHeight(): number {
  const isCard = useMediaQuery(isNarrow, false, { getInitialValueInEffect: false })
  const isTouched = useMediaQuery('(pointer: coarse)', false, { getInitialValueInEffect: false })
  return isCard ? 88 : isTouched ? 44 : 32
}

/**
 * Scrolls as little as brings the row at `index` into sight, if it is not; never smoothly. `head` is
 * the height of what stays above the rows within what scrolls, px.
 */
export function revealRow(scroller: HTMLElement, index: number, height: number, head = 0): void {
  const top = index * height
  if (top < scroller.scrollTop) scroller.scrollTop = top
  const bottom = top + height + head - scroller.clientHeight
  if (bottom > scroller.scrollTop) scroller.scrollTop = bottom
}
