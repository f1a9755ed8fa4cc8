/** The waits between attempts that fail; grows with each, starts anew after a success. */
export interface Backoff {
  /** The next wait in whole ms; never shorter than what the other side asked for, within reason. */
  readonly next: (retryAfterMs?: number) => number
  readonly reset: () => void
  /** Takes the other side's `retry:` as the shortest wait, clamped to 1 to 30 s. */
  readonly setBase: (ms: number) => void
}

/** Full jitter between 1 s and a ceiling that doubles from 2 s to 30 s: crowds spread out. */
export function createBackoff(random: () => number): Backoff {
  let base = shortestMs
  let failures = 0
  return {
    next: (retryAfterMs = 0) => {
      failures++
      const ceiling = Math.max(base, Math.min(longestMs, base * 2 ** Math.min(failures, 10)))
      const wait = base + random() * (ceiling - base)
      return Math.round(Math.max(wait, Math.min(retryAfterMs, longestRetryAfterMs)))
    },
    reset: () => {
      failures = 0
    },
    setBase: (ms) => {
      base = Math.min(longestMs, Math.max(shortestMs, ms))
    },
  }
}

const shortestMs = 1000
const longestMs = 30_000
const longestRetryAfterMs = 600_000
