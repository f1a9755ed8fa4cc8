import type { Facts } from '../protocol/facts.ts'
import { localDay } from './local-day.ts'

/** How long builds take: today's beside all that are known. Milliseconds; absent where there are none. */
export interface DayDurations {
  readonly medianMs: number | undefined
  readonly todayMs: number | undefined
  /** Builds that `todayMs` is the median of. */
  readonly today: number
}

/**
 * The median duration of builds, and of those that were received on the day that `now` (epoch ms) is
 * of in `timeZone` (IANA). Throws RangeError where there is no such zone.
 */
export function dayDurations(
  builds: readonly Facts[],
  { now, timeZone }: { readonly now: number; readonly timeZone: string },
): DayDurations {
  const { from, to } = localDay(now, timeZone)
  const all: number[] = []
  const today: number[] = []
  for (const { durationMs, receivedAt } of builds) {
    if (typeof durationMs !== 'number') continue
    all.push(durationMs)
    if (receivedAt >= from && receivedAt < to) today.push(durationMs)
  }
  return { medianMs: medianOf(all), todayMs: medianOf(today), today: today.length }
}

function medianOf(durations: readonly number[]): number | undefined {
  const sorted = Float64Array.from(durations).sort()
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.floor((sorted.length - 1) / 2)]
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2
}
