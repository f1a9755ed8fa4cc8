import type { Facts } from '../protocol/facts.ts'
import { originOf } from './tile-branch.ts'

/** How long builds take: today's beside all that are known. Milliseconds; absent where there are none. */
export interface DayDurations {
  /** Undefined where all are of today, too: then nothing is usual. */
  readonly medianMs: number | undefined
  readonly todayMs: number | undefined
  /** Builds that `todayMs` is the median of. */
  readonly today: number
}

/**
 * The median duration of builds where there are any of another day, and of those that were received on the day that `now` (epoch ms) is
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
  const medianMs = all.length > today.length ? medianOf(all) : undefined
  return { medianMs, todayMs: medianOf(today), today: today.length }
}

/** Work that has lately taken longer than it used to. Durations are ms. */
export interface Slowdown {
  /** The newest of the slow builds. */
  readonly buildId: string
  /** The last success that was not slow. */
  readonly before: string
  /** The median of the last three, and of those before them. */
  readonly recentMs: number
  readonly usualMs: number
  readonly requested: readonly string[]
}

const slowBuilds = 3
const comparedBuilds = 20
/** Of fewer nobody can say what is usual. */
const leastCompared = 10
const slowerBy = { share: 1.25, ms: 60_000 } as const
const weekMs = 7 * 24 * 60 * 60 * 1000

/**
 * The work that is slower than usual, of builds that are given the newest first: each of its last three successes took a quarter
 * and a minute longer than the median of the 20 before them. Undefined where there is none, where fewer than ten are known, and
 * for work that was not done in the week before `now` (epoch ms).
 */
export function slowdownOf(builds: readonly Facts[], now: number): Slowdown | undefined {
  const works = new Map<string, { readonly build: Facts; readonly durationMs: number }[]>()
  for (const build of builds) {
    const { durationMs, outcome } = build
    if (outcome !== 'succeeded' || typeof durationMs !== 'number') continue
    const { work } = originOf(build)
    const same = works.get(work)
    if (same === undefined) works.set(work, [{ build, durationMs }])
    else if (same.length < slowBuilds + comparedBuilds) same.push({ build, durationMs })
  }
  for (const same of works.values()) {
    const newest = same[0]?.build
    const before = same.slice(slowBuilds)
    if (newest === undefined || before.length < leastCompared) continue
    if (now - newest.receivedAt > weekMs) continue
    const usualMs = medianOf(before.map(({ durationMs }) => durationMs)) ?? 0
    const recent = same.slice(0, slowBuilds).map(({ durationMs }) => durationMs)
    const isSlow = (ms: number): boolean =>
      ms > usualMs * slowerBy.share && ms > usualMs + slowerBy.ms
    if (!recent.every(isSlow)) continue
    const last = before.find(({ durationMs }) => !isSlow(durationMs))
    return {
      buildId: newest.buildId,
      before: (last?.build ?? newest).buildId,
      recentMs: medianOf(recent) ?? 0,
      usualMs,
      requested: newest.requested ?? [],
    }
  }
  return undefined
}

function medianOf(durations: readonly number[]): number | undefined {
  const sorted = Float64Array.from(durations).sort()
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.floor((sorted.length - 1) / 2)]
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2
}

/** A calendar day as the instants that it has, epoch ms: `from` is the first, `to` the first after it. */
export interface LocalDay {
  readonly from: number
  readonly to: number
}

/**
 * The day that an instant (epoch ms) is of in a zone (IANA). Throws RangeError where there is no such
 * zone. Found by the dates around it, which is right wherever a day has 23 or 25 hours;
 * a second call on the same day costs nothing.
 */
export function localDay(instant: number, timeZone: string): LocalDay {
  const last = latest.get(timeZone)
  if (last && instant >= last.from && instant < last.to) return last
  const dateOf = datesIn(timeZone)
  const date = dateOf(instant)
  const isSame = (at: number): boolean => dateOf(at) === date
  const day = {
    from: boundary(instant - longestDayMs, instant, isSame),
    to: boundary(instant, instant + longestDayMs, (at) => !isSame(at)),
  }
  latest.set(timeZone, day)
  return day
}

/** The last day computed in each zone. */
const latest = new Map<string, LocalDay>()

/** No day is longer than 25 hours. */
const longestDayMs = 26 * 60 * 60 * 1000

function datesIn(timeZone: string): (at: number) => string {
  const numbers = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, ...numbers })
  return (at) => format.format(at)
}

/** The first instant after `before`, for which it is not yet so, for which `isSo`; `after` at the latest. */
function boundary(before: number, after: number, isSo: (at: number) => boolean): number {
  let low = before
  let high = after
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isSo(middle)) high = middle
    else low = middle
  }
  return high
}
