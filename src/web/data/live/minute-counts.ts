import type { Facts } from '../../../protocol/facts.ts'
import type { MinuteCount } from './feed-snapshot.ts'

const minuteMs = 60_000
const minutesShown = 60

/** How a build ended, as far as it is known. */
export type Ending = 'succeeded' | 'failed' | 'unknown'

/** Builds per minute by outcome, kept up to date one build at a time. */
export interface MinuteCounts {
  /** Counts a build of unknown ending that the server received at `timestamp`, epoch ms. */
  readonly add: (timestamp: number) => void
  /** A build that was counted turns out to have ended otherwise. */
  readonly move: (timestamp: number, from: Ending, to: Ending) => void
  /**
   * The 60 minutes up to `now`, oldest first, the current one last; the same array as long as
   * nothing changed. Builds from the future, by a clock that is ahead, count as of this minute.
   */
  readonly last: (now: number) => readonly MinuteCount[]
}

const none: Record<Ending, number> = { succeeded: 0, failed: 0, unknown: 0 }

/** What is known of how a build ended. */
export function endingOf(facts: Facts | undefined): Ending {
  return facts?.outcome ?? 'unknown'
}

/** Counts nothing yet. */
export function createMinuteCounts(): MinuteCounts {
  const counts = new Map<number, Record<Ending, number>>()
  let shown: readonly MinuteCount[] = []
  let shownMinute = NaN
  let changed = false

  // Builds come in the order of their time: nearly all share the minute of the one before.
  let near = none
  let nearUntil = -Infinity

  function countOf(timestamp: number): Record<Ending, number> {
    if (timestamp < nearUntil && timestamp >= nearUntil - minuteMs) return near
    const minute = minuteOf(timestamp)
    near = counts.get(minute) ?? { ...none }
    nearUntil = (minute + 1) * minuteMs
    counts.set(minute, near)
    return near
  }

  return {
    add: (timestamp) => {
      countOf(timestamp).unknown += 1
      changed = true
    },
    move: (timestamp, from, to) => {
      // A minute that has gone by is no longer counted.
      if (from === to || !counts.has(minuteOf(timestamp))) return
      const count = countOf(timestamp)
      count[from] -= 1
      count[to] += 1
      changed = true
    },
    last: (now) => {
      const current = minuteOf(now)
      if (!changed && current === shownMinute) return shown
      const first = current - minutesShown + 1
      const sums = Array.from({ length: minutesShown }, (_, index) => ({
        minute: (first + index) * minuteMs,
        succeeded: 0,
        failed: 0,
        unknown: 0,
      }))
      for (const [minute, count] of counts) {
        const sum = sums[Math.min(minute, current) - first]
        if (sum === undefined) {
          counts.delete(minute)
          nearUntil = -Infinity
          continue
        }
        sum.succeeded += count.succeeded
        sum.failed += count.failed
        sum.unknown += count.unknown
      }
      shown = sums
      shownMinute = current
      changed = false
      return shown
    },
  }
}

function minuteOf(time: number): number {
  return Math.floor(time / minuteMs)
}
