import { useEffect } from 'react'

/**
 * Keeps the screen from going dark, where the browser can. A lock is lost whenever the page is hidden,
 * and cannot be used again: each time the page is seen a new one is asked for.
 */
export function useWakeLock(): void {
  useEffect(() => {
    if (!('wakeLock' in navigator)) return
    let lock: WakeLockSentinel | undefined
    let isGone = false

    function take(): void {
      if (document.visibilityState !== 'visible') return
      navigator.wakeLock.request('screen').then(
        (taken) => {
          if (isGone) void taken.release()
          else lock = taken
        },
        // Low on power, or forbidden: the screen goes dark when its owner wants it to.
        () => undefined,
      )
    }

    take()
    document.addEventListener('visibilitychange', take)
    return () => {
      isGone = true
      document.removeEventListener('visibilitychange', take)
      void lock?.release()
    }
  }, [])
}
