import type { Facts } from '../protocol/facts.ts'

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
  const dayOf = dayIn(timeZone)
  const day = dayOf(now)
  const timed = builds.filter(({ durationMs }) => typeof durationMs === 'number')
  // No day is longer than 25 hours: most builds need not be asked for theirs.
  const today = timed.filter(
    ({ receivedAt }) => Math.abs(now - receivedAt) < longestDayMs && dayOf(receivedAt) === day,
  )
  return { medianMs: medianOf(timed), todayMs: medianOf(today), today: today.length }
}

const longestDayMs = 26 * 60 * 60 * 1000
const formats = new Map<string, Intl.DateTimeFormat>()

function dayIn(timeZone: string): (ms: number) => string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-CA', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
  // Made once for each zone: making one takes longer than a tile does.
  formats.set(timeZone, format)
  return (ms) => format.format(ms)
}

function medianOf(builds: readonly Facts[]): number | undefined {
  const sorted = builds.map(({ durationMs }) => durationMs ?? 0).sort((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.floor((sorted.length - 1) / 2)]
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2
}
