import type { Clock } from '../../../protocol/clock.ts'
import type { FromWorker } from './build-event-messages.ts'
import { createBuildEventsPool, type OpenBuildEvents } from './build-events-pool.ts'
import type { BuildWorker } from './build-worker-line.ts'
import type { SessionKeeper } from '../core/session.ts'

/** What the page's builds are read with; the entry alone touches the real clock. */
export interface BrowserBuildEventsOptions {
  readonly session: SessionKeeper
  readonly clock: Clock
  readonly random: () => number
}

/** The builds that are open in this page, read in a worker of the browser. */
export function createBrowserBuildEvents(options: BrowserBuildEventsOptions): OpenBuildEvents {
  return createBuildEventsPool({
    ...options,
    fetch: (input, init) => fetch(input, init),
    isOnline: () => navigator.onLine,
    startWorker,
  })
}

function startWorker(): BuildWorker {
  const worker = new Worker(new URL('./build-event-worker.ts', import.meta.url), { type: 'module' })
  return {
    post: (message, transfer) => {
      worker.postMessage(message, [...transfer])
    },
    listen: (onMessage, onBroken) => {
      worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
        onMessage(data)
      })
      worker.addEventListener('error', onBroken)
      worker.addEventListener('messageerror', onBroken)
    },
    end: () => {
      worker.terminate()
    },
  }
}
