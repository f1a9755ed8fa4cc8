import type { Clock } from '../../protocol/clock.ts'
import { problem, ProblemError } from '../../protocol/problem.ts'

/** Lets somebody do something only so often. */
export interface RateLimit {
  /** Counts one; throws a ProblemError 429 with Retry-After once there were too many. */
  readonly take: (key: string) => void
}

/** At most `most` in each minute for a key, such as an address; what is kept of keys is bounded. */
export function createRateLimit(clock: Clock, most: number): RateLimit {
  let minute = -1
  let counts = new Map<string, number>()
  return {
    take: (key) => {
      const now = clock.now()
      const present = Math.floor(now / minuteMs)
      if (present !== minute) {
        minute = present
        counts = new Map()
      }
      // Past so many keys they share one count: whoever has so many addresses is one.
      const counted = counts.has(key) || counts.size < keptKeys ? key : ''
      const count = (counts.get(counted) ?? 0) + 1
      counts.set(counted, count)
      if (count > most) throw tooOften((minute + 1) * minuteMs - now)
    },
  }
}

const minuteMs = 60_000
const keptKeys = 10_000

function tooOften(retryAfterMs: number): ProblemError {
  return new ProblemError(
    problem(429, 'too-often', 'Too often', 'That was tried too often. Try again in a minute.'),
    { retryAfterMs },
  )
}
