import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/**
 * Whether the page is being printed: what a screen draws on demand is drawn whole then. It is drawn
 * before the browser lays the page out.
 */
export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(() => matchMedia('print').matches)
  useEffect(() => {
    const media = matchMedia('print')
    const set = (is: boolean) => (): void => {
      flushSync(() => {
        setPrinting(is)
      })
    }
    const [begin, end] = [set(true), set(false)]
    const follow = (): void => {
      set(media.matches)()
    }
    window.addEventListener('beforeprint', begin)
    window.addEventListener('afterprint', end)
    media.addEventListener('change', follow)
    return () => {
      window.removeEventListener('beforeprint', begin)
      window.removeEventListener('afterprint', end)
      media.removeEventListener('change', follow)
    }
  }, [])
  return isPrinting
}
