/**
 * Tells whether an element is on the screen or within `margin` px above or below what is, now and at
 * each change. Returns what ends it.
 */
export function watchScreen(
  element: Element,
  margin: number,
  tell: (isNear: boolean) => void,
): () => void {
  const observer = new IntersectionObserver(
    (entries) => {
      const now = entries.at(-1)
      if (now !== undefined) tell(now.isIntersecting)
    },
    // The page scrolls within its main part: a margin counts from there only if that is the root.
    { root: element.closest('main'), rootMargin: `${margin}px 0px` },
  )
  observer.observe(element)
  return () => {
    observer.disconnect()
  }
}
