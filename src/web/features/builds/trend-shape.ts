const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const steps = [
  ...[10, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 28, 91, 364].map((count) => count * day),
]
/** A week by 6 hours, a month by days. */
const mostBars = 40

/** Equal stretches of time of a round length, epoch ms; `to` is exclusive, and the end of the last one or within it. */
export interface TrendShape {
  readonly from: number
  readonly to: number
  readonly step: number
}

/**
 * How a stretch of time is cut for a trend: in at most 40 parts of a round length. `offset` is what to
 * add to UTC to get the clock of the viewer, ms: days begin at its midnight.
 */
export function trendShape(range: Pick<TrendShape, 'from' | 'to'>, offset: number): TrendShape {
  const alignedBy = (step: number): number =>
    Math.floor((range.from + offset) / step) * step - offset
  const isFitting = (step: number): boolean => (range.to - alignedBy(step)) / step <= mostBars
  let step = steps.find(isFitting) ?? 728 * day
  while (!isFitting(step)) step *= 2
  return { from: alignedBy(step), to: range.to, step }
}

/** The time before, cut so that its parts stand at the same places. */
export function shapeBefore({ from, to, step }: TrendShape, end: number): TrendShape {
  const bars = Math.ceil((to - from) / step)
  return { from: from - bars * step, to: Math.min(end, to), step }
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
