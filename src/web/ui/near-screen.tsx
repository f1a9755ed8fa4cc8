import {
  type ReactElement,
  type ReactNode,
  startTransition,
  useEffect,
  useRef,
  useState,
} from 'react'
import { usePrinting } from './printing.ts'

/** So far from the screen, px, that a quick reader does not see it being drawn. */
const margin = 600

/**
 * Something long of which a page has many: drawn when it comes near the screen, or goes on paper, and
 * kept from then on. Before, it keeps `height` px free. What is on the first screen `isFirst`: it is drawn at once.
 */
export function DrawnNear({
  height,
  isFirst = false,
  children,
}: {
  height: number
  isFirst?: boolean
  children: ReactNode
}): ReactElement {
  const place = useRef<HTMLDivElement>(null)
  const [isNear, setNear] = useState(isFirst)
  const isDrawn = usePrinting() || isNear
  useEffect(() => {
    const element = place.current
    if (element === null || isNear) return
    return watchScreen(element, margin, (is) => {
      if (!is) return
      // Many may come near at once, and none of them is in a hurry.
      startTransition(() => {
        setNear(true)
      })
    })
  }, [isNear])
  return (
    <div ref={place} style={isDrawn ? undefined : { minHeight: height }}>
      {isDrawn && children}
    </div>
  )
}

/** Tells whether an element is within `margin` px of the screen, now and at each change. Returns what ends it. */
export function watchScreen(
  element: Element,
  margin: number,
  onChange: (isNear: boolean) => void,
): () => void {
  const observer = new IntersectionObserver(
    (entries) => {
      const now = entries.at(-1)
      if (now !== undefined) onChange(now.isIntersecting)
    },
    // The page scrolls within its main part: a margin counts from there only if that is the root.
    { root: element.closest('main'), rootMargin: `${margin}px 0px` },
  )
  observer.observe(element)
  return () => {
    observer.disconnect()
  }
}
