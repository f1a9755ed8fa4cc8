/** The shortest wait between two attempts, ms. */
export const shortestWaitMs = 1000
/** And the longest, unless Retry-After asks for more. */
const longestWaitMs = 30_000
const longestRetryAfterMs = 3_600_000

export interface BackOff {
  /** Attempts in a row that delivered nothing, the last one included; at least 1. */
  readonly failures: number
  /** What the other side asked for by `retry:`, ms; any number. */
  readonly retryMs: number | undefined
  /** What the other side asked for by Retry-After, ms. */
  readonly retryAfterMs: number | undefined
  /** 0 up to 1. */
  readonly random: () => number
  /** What the waits grow to, ms; 30 s unless it is said. */
  readonly longestMs?: number
}

/**
 * The wait before the next attempt in ms: full jitter between the shortest wait and a bound that
 * doubles with each failure, so that many readers of a restarted proxy do not return at once.
 * `retry:` replaces the shortest wait within [1 s, 30 s]; Retry-After is never undercut, up to an
 * hour.
 */
export function backOffMs(backOff: BackOff): number {
  const { failures, retryMs, retryAfterMs, random, longestMs = longestWaitMs } = backOff
  const shortest = Math.min(longestWaitMs, Math.max(shortestWaitMs, retryMs ?? shortestWaitMs))
  const grown = shortest * 2 ** Math.min(Math.max(failures, 1), 10)
  const bound = Math.max(shortest, Math.min(longestMs, grown))
  const jittered = shortest + random() * (bound - shortest)
  return Math.round(Math.max(jittered, Math.min(retryAfterMs ?? 0, longestRetryAfterMs)))
}

/**
 * The wait that the Retry-After header of a response asks for, in ms, or undefined where it is absent
 * or unreadable. All forms of RFC 9110 section 10.2.3 are read; a date in the past is no wait. It is
 * of the other side's clock, as is `Date`; without that it counts from `now` (epoch ms).
 */
export function retryAfterMs(
  header: (name: string) => string | null,
  now: number,
): number | undefined {
  const text = header('retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  // Date.parse also reads bare numbers and ISO forms, which the header does not have.
  if (!/^[A-Z]/.test(text)) return undefined
  // The obsolete form of C's asctime names no zone, and is in UTC.
  const at = Date.parse(text.replace(/\d$/, '$& GMT'))
  return Number.isNaN(at) ? undefined : Math.max(0, at - (Date.parse(header('date') ?? '') || now))
}

/** The Prefer header of somebody who waits so long for a response (RFC 7240, 4.3). */
export function preferredWait(ms: number): string {
  return `wait=${Math.max(1, Math.ceil(ms / 1000))}`
}

/** How long the sender of a Prefer header waits for the response, ms; undefined where it doesn't say. */
export function preferredWaitMs(prefer: string | null): number | undefined {
  const seconds = /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:[;,]|$)/i.exec(prefer ?? '')?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}
