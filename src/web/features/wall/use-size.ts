import { type RefObject, useEffect, useState } from 'react'

/** The inner size of an element, px; undefined before it was measured. */
export function useSize(
  element: RefObject<HTMLElement | null>,
): { readonly width: number; readonly height: number } | undefined {
  const [size, setSize] = useState<{ width: number; height: number }>()
  useEffect(() => {
    const { current } = element
    if (current === null) return
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = current
      setSize((known) =>
        known?.width === width && known.height === height ? known : { width, height },
      )
    })
    observer.observe(current)
    return () => {
      observer.disconnect()
    }
  }, [element])
  return size
}
