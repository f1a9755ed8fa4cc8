import { dayMs, hourMs, minuteMs } from '../protocol/clock.ts'
import type { Facts } from '../protocol/facts.ts'

/** A tile whose builds come on a rhythm, and have not come. Times are epoch ms. */
export interface Silence {
  /** How far apart they usually are, ms. */
  readonly everyMs: number
  readonly dueAt: number
}

/**
 * Whether builds, which are given the newest first, are late by their own rhythm (docs/wall.md#silent). `heardAt` is when the
 * server last delivered any build, epoch ms: later than that nothing is known, so a clock that jumps changes nothing. `timeZone`
 * (IANA) says which days are of a weekend.
 */
export function silenceOf(
  builds: readonly Facts[],
  { heardAt, timeZone }: { readonly heardAt: number | undefined; readonly timeZone: string },
): Silence | undefined {
  const newest = builds[0]?.receivedAt
  // Most tiles are built all the time: nothing has to be learned of them.
  if (heardAt === undefined || newest === undefined || heardAt - newest < shortestMs) return
  const moments = builds.map(({ receivedAt }) => receivedAt).reverse()
  const silence = dailySilence(moments, heardAt) ?? hourlySilence(moments, heardAt, timeZone)
  // What nobody has missed for a week was switched off.
  return silence === undefined || heardAt - silence.dueAt > forgottenMs ? undefined : silence
}

const shortestMs = 20 * minuteMs
const forgottenMs = 7 * dayMs

/** Builds that belong together: those of one night, or of one hour. */
interface Beat {
  readonly from: number
  readonly to: number
}

/** Puts moments, the oldest first, together that are less than `gapMs` apart. */
function beatsOf(moments: readonly number[], gapMs: number): Beat[] {
  const beats: Beat[] = []
  for (const at of moments) {
    const last = beats.at(-1)
    if (last !== undefined && at - last.to < gapMs) beats[beats.length - 1] = { ...last, to: at }
    else beats.push({ from: at, to: at })
  }
  return beats
}

/** All of a day's builds lie within so much of it, and begin within so much of each other's time of day. */
const longestNightMs = 6 * hourMs
const jitterMs = 4 * hourMs
const leastNights = 4
/** Of the past days of a weekday so many had builds, or none is expected on it. */
const usualShare = 0.75
const leastGraceMs = 2 * hourMs

/** Of builds that come once a day, on some weekdays perhaps, or once a week. */
function dailySilence(moments: readonly number[], heardAt: number): Silence | undefined {
  const nights = beatsOf(moments, dayMs / 2)
  const first = nights[0]?.from
  if (first === undefined || nights.length < leastNights) return
  if (nights.some(({ from, to }) => to - from > longestNightMs)) return
  const places = nights.map(({ from }) => {
    const day = Math.round((from - first) / dayMs)
    return { day, offset: from - first - day * dayMs }
  })
  const offsets = places.map(({ offset }) => offset)
  const spread = Math.max(...offsets) - Math.min(...offsets)
  if (spread > jitterMs) return
  const days = new Set(places.map(({ day }) => day))
  const last = Math.max(...days)
  const isUsual = (weekday: number): boolean => {
    let [all, built] = [0, 0]
    for (let day = weekday; day <= last; day += 7) {
      all += 1
      if (days.has(day)) built += 1
    }
    // A weekday that was never seen, as the first weekend of a project, is none on which builds are missed.
    return all > 0 && built / all >= usualShare
  }
  const usual = [0, 1, 2, 3, 4, 5, 6].filter(isUsual)
  if (!isCustomary(usual)) return
  const next = [1, 2, 3, 4, 5, 6, 7].find((ahead) => usual.includes((last + ahead) % 7))
  if (next === undefined) return
  const dueAt = first + (last + next) * dayMs + Math.max(...offsets)
  if (heardAt <= dueAt + Math.max(leastGraceMs, spread)) return
  return { everyMs: usual.length === 1 ? 7 * dayMs : dayMs, dueAt }
}

/** Every day, the working days or one day of the week: others are hardly anybody's plan. */
function isCustomary(weekdays: readonly number[]): boolean {
  const isAlone = (weekday: number): boolean => !weekdays.includes((weekday + 1) % 7)
  const isOneRow = weekdays.filter(isAlone).length <= 1
  return isOneRow && (weekdays.length === 1 || weekdays.length >= 5)
}

const sameBeatMs = 10 * minuteMs
const rarestMs = 8 * hourMs
const leastGaps = 8
/** So many of the gaps differ by no more than half of the usual one; those of pushes do not. */
const regularShare = 0.8

/** Of builds that come several times a day at equal distances, but for nights and weekends. */
function hourlySilence(
  moments: readonly number[],
  heardAt: number,
  timeZone: string,
): Silence | undefined {
  const beats = beatsOf(moments, sameBeatMs).map(({ from }) => from)
  const gaps = beats.slice(1).map((at, index) => at - (beats[index] ?? at))
  const everyMs = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)]
  const [first, last] = [beats[0], beats.at(-1)]
  if (everyMs === undefined || first === undefined || last === undefined) return
  // Who has not been seen for a whole day has perhaps a night that nothing is known of.
  if (gaps.length < leastGaps || last - first < dayMs) return
  if (everyMs < shortestMs || everyMs > rarestMs) return
  const regular = gaps.filter((gap) => Math.abs(gap - everyMs) <= everyMs / 2).length
  if (regular / gaps.length < regularShare) return
  const longest = Math.max(...gaps)
  const allowedMs = Math.max(2 * everyMs, longest + everyMs / 2)
  if (heardAt - last <= allowedMs) return
  const isWeekend = weekendsIn(timeZone)
  const worksAtWeekends = beats.some(isWeekend)
  let silentMs = 0
  // By the hour: a weekend on which nothing was ever seen does not count.
  for (let at = last; at < heardAt && silentMs <= allowedMs; at += hourMs) {
    if (worksAtWeekends || !isWeekend(at)) silentMs += Math.min(hourMs, heardAt - at)
  }
  return silentMs > allowedMs ? { everyMs, dueAt: last + everyMs } : undefined
}

function weekendsIn(timeZone: string): (at: number) => boolean {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'short' })
  return (at) => ['Sat', 'Sun'].includes(format.format(at))
}
