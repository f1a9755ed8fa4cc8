import { useMediaQuery } from '@mantine/hooks'

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
