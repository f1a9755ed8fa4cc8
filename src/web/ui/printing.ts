import { useSyncExternalStore } from 'react'
import { flushSync } from 'react-dom'

/** Between `beforeprint` and `afterprint`: a browser may say so before its media query does. */
let isAsked = false

/** Whether the page is being printed, before it is laid out: what screens draw on demand is drawn whole then. */
export function usePrinting(): boolean {
  return useSyncExternalStore(subscribe, () => isAsked || matchMedia('print').matches)
}

function subscribe(notify: () => void): () => void {
  const media = matchMedia('print')
  const draw = (): void => {
    flushSync(notify)
  }
  const begin = (): void => {
    isAsked = true
    draw()
  }
  const end = (): void => {
    isAsked = false
    draw()
  }
  window.addEventListener('beforeprint', begin)
  window.addEventListener('afterprint', end)
  media.addEventListener('change', draw)
  return () => {
    window.removeEventListener('beforeprint', begin)
    window.removeEventListener('afterprint', end)
    media.removeEventListener('change', draw)
  }
}
