import { wallClockAt } from '../../../search/assist/amount-text.ts'
import { wallTime } from '../../../search/values/instant.ts'
import { momentTime } from '../../../search/values/moment-time.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const trendSteps = [
  ...[10, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 28, 91, 364].map((count) => count * day),
]
/** A week by 6 hours, a month by days. */
const mostTrendBars = 40

/**
 * Stretches of time of a round length `step`, ms, one behind the other. Those of whole days are calendar days: an hour shorter or
 * longer where clocks change.
 */
export interface TimeCut {
  readonly step: number
  /** When each stretch begins, and when the last one ends; epoch ms. */
  readonly bounds: readonly number[]
}

/** The longest time, epoch ms, `last` included, and how it may be cut: in `fewest` to `most` stretches, the shortest that do. */
interface CutRequest {
  readonly from: number
  readonly last: number
  /** Ascending, ms; the longest is doubled until it does. */
  readonly steps: readonly number[]
  readonly most: number
  /** As many are cut, the rest before the others. */
  readonly fewest: number
}

/** Cuts time by the clocks of a zone (IANA): days begin at its midnight, hours where they do at the end of that time. */
export function cutTime(
  { from, last, steps, most, fewest }: CutRequest,
  timeZone: string,
): TimeCut {
  const walls = [from, last].map((at) => wallTime(wallClockAt(at, timeZone)))
  const offset = (walls[1] ?? last) - last
  /** The places of the first and of the last stretch, counted from that of 1970. */
  const placesBy = (step: number): readonly number[] =>
    (step < day ? [from + offset, last + offset] : walls).map((wall) => Math.floor(wall / step))
  const barsBy = (step: number): number => {
    const [first = 0, end = 0] = placesBy(step)
    return end - first + 1
  }
  let step = steps.find((one) => barsBy(one) <= most) ?? 2 * (steps.at(-1) ?? day)
  while (barsBy(step) > most) step *= 2
  const [begin = 0, end = 0] = placesBy(step)
  const first = Math.min(begin, end - fewest + 1)
  const bounds = Array.from({ length: end - first + 2 }, (_, index) => {
    const wall = (first + index) * step
    return step < day ? wall - offset : midnight(wall / day, timeZone)
  })
  return { step, bounds }
}

/** When a day begins, by its number from that of 1970; epoch ms. */
function midnight(number: number, timeZone: string): number {
  const clock = {
    ...{ year: 1970, month: 1, day: 1 + Math.min(number, latestDay) },
    ...{ hour: 0, minute: 0, second: 0, ms: 0 },
  }
  return momentTime({ type: 'local', clock }, { now: 0, timeZone })
}

/** What a Date holds, without the days beside it that a zone is looked up at. */
const latestDay = 99_999_998

/** A trend's stretches of time, epoch ms; `to` is exclusive, and the end of the last one or within it. */
export interface TrendShape extends TimeCut {
  readonly to: number
}

/** How a stretch of time is cut for a trend: in at most 40 parts of a round length, by the clocks of a zone (IANA). */
export function trendShape(
  { from, to }: { readonly from: number; readonly to: number },
  timeZone: string,
): TrendShape {
  const [steps, most, fewest] = [trendSteps, mostTrendBars, 1]
  return { ...cutTime({ from, last: to - 1, steps, most, fewest }, timeZone), to }
}

/** The time before, cut so that its parts stand at the same places. */
export function shapeBefore(
  { step, bounds, to }: TrendShape,
  end: number,
  timeZone: string,
): TrendShape {
  const [from = 0] = bounds
  const bars = bounds.length - 1
  const first = step < day ? 0 : Math.floor(wallTime(wallClockAt(from, timeZone)) / day)
  const earlier = Array.from(bounds, (_, index) =>
    step < day
      ? from + (index - bars) * step
      : midnight(first + ((index - bars) * step) / day, timeZone),
  )
  return { step, bounds: earlier, to: Math.min(end, to) }
}

/** The upper end of an axis of durations, ms: a round one in the unit that suits it. */
export function niceDuration(longest: number): number {
  const rounds = [
    ...[1, 2, 4, 10, 20, 30].map((count) => count * 1000),
    ...[1, 2, 4, 6, 10, 20, 30].map((count) => count * minute),
    ...[1, 2, 4, 6, 12].map((count) => count * hour),
  ]
  return rounds.find((round) => longest <= round) ?? Math.ceil(longest / day) * day
}
