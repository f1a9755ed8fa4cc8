import { useMediaQuery } from '@mantine/hooks'

/** The height of a row, px: with a name of two lines, for fingers, or for a pointer. */
export function useRowHeight(): number {
  const isNarrow = useMediaQuery('(max-width: 699px)', false, { getInitialValueInEffect: false })
  const isTouched = useMediaQuery('(pointer: coarse)', false, { getInitialValueInEffect: false })
  return isNarrow ? 46 : isTouched ? 44 : 28
}
