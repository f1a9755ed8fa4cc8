import { backOffMs } from '../../../protocol/back-off.ts'

/** The waits between attempts that fail; grows with each, starts anew after a success. */
export interface Backoff {
  /** The next wait in whole ms; see protocol/back-off.ts. */
  readonly next: (retryAfterMs?: number) => number
  readonly reset: () => void
  /** Takes the other side's `retry:` as the shortest wait, clamped to 1 to 30 s. */
  readonly setBase: (ms: number) => void
}

/** The waits of one connection; they grow to `longestMs`, 30 s unless it is said. */
export function createBackoff(random: () => number, longestMs?: number): Backoff {
  let failures = 0
  let retryMs: number | undefined
  return {
    next: (retryAfterMs) => {
      failures++
      return backOffMs({
        failures,
        retryMs,
        retryAfterMs,
        random,
        ...(longestMs === undefined ? {} : { longestMs }),
      })
    },
    reset: () => {
      failures = 0
    },
    setBase: (ms) => {
      retryMs = ms
    },
  }
}
