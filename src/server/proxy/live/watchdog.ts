import type { Clock } from '../../../protocol/clock.ts'

/** Gives up on an upstream that has fallen silent. */
export interface Watchdog {
  /** Aborts when nothing has come for too long, or with the outer signal. */
  readonly signal: AbortSignal
  /** Something came. */
  readonly feed: () => void
  /** Nothing is expected until the next `feed`: the silence is ours. */
  readonly pause: () => void
  /** Whether the silence was too long. */
  readonly barked: () => boolean
  /** Lets go of the timer and the outer signal. */
  readonly stop: () => void
}

/** Watches from now on; `idleMs` is how long nothing may come. */
export function createWatchdog(clock: Clock, idleMs: number, outer: AbortSignal): Watchdog {
  const abort = new AbortController()
  let fedAt = clock.now()
  let paused = false
  let barked = false
  let cancel = (): void => undefined
  const pass = (): void => {
    abort.abort(outer.reason)
  }
  // One timer that looks at the time, instead of a new one for each chunk.
  const watch = (): void => {
    const left = paused ? idleMs : fedAt + idleMs - clock.now()
    if (left > 0) {
      cancel = clock.after(left, watch)
    } else {
      barked = true
      abort.abort()
    }
  }
  watch()
  outer.addEventListener('abort', pass, { once: true })
  if (outer.aborted) pass()
  return {
    signal: abort.signal,
    feed: () => {
      fedAt = clock.now()
      paused = false
    },
    pause: () => {
      paused = true
    },
    barked: () => barked,
    stop: () => {
      cancel()
      outer.removeEventListener('abort', pass)
    },
  }
}
