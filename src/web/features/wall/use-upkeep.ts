import { useEffect, useRef } from 'react'
import { entryScript, watchRelease } from '../../data/wall/wall-release.ts'
import { startWallWorker } from './wall-worker.ts'
import { useServices } from '../../data/core/services.ts'

/** Reloads a wall that is old or out of date, when nobody minds; see wall-release.ts. */
export function useRelease(isQuiet: boolean): void {
  const { clock, fetch } = useServices()
  const quiet = useRef(isQuiet)
  useEffect(() => {
    quiet.current = isQuiet
  }, [isQuiet])
  useEffect(
    () =>
      watchRelease({
        clock,
        fetch,
        running: entryScript(document.documentElement.outerHTML),
        hour: () => new Date(clock.now()).getHours(),
        isQuiet: () => quiet.current,
        reload: () => {
          location.reload()
        },
      }),
    [clock, fetch],
  )
}

/** Keeps the shell of the wall on this device, so that it opens without the proxy. */
export function useOfflineShell(): void {
  useEffect(() => {
    void startWallWorker(entryScript(document.documentElement.outerHTML))
  }, [])
}
