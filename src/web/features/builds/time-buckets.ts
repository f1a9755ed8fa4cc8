import type { Facts } from '../../../protocol/facts.ts'

/** Builds that started within one stretch of time, by outcome. */
export interface TimeBucket {
  /** The beginning of the stretch, epoch ms. */
  readonly at: number
  readonly failed: number
  readonly succeeded: number
  readonly unknown: number
}

/** Builds over time: equal stretches of `step` ms, without gaps, oldest first. */
export interface TimeBuckets {
  readonly step: number
  readonly buckets: readonly TimeBucket[]
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const steps = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((count) => count * day),
]
const mostBars = 60
const fewestBars = 24

/** When a build started, or where that is not known, when it was received; epoch ms. */
function timeOf({ startTime, receivedAt }: Facts): number {
  return startTime ?? receivedAt
}

/**
 * Counts builds in 24 to 60 stretches of a round length. `offset` is what to add to UTC to get the
 * clock of the viewer, ms: days begin at its midnight. Undefined where there is no build.
 */
export function timeBuckets(builds: readonly Facts[], offset: number): TimeBuckets | undefined {
  let [from, to] = [Infinity, -Infinity]
  for (const facts of builds) {
    const time = timeOf(facts)
    if (time < from) from = time
    if (time > to) to = time
  }
  if (from > to) return undefined
  const place = (time: number, step: number): number => Math.floor((time + offset) / step)
  const step = stepFor((candidate) => place(to, candidate) - place(from, candidate) + 1)
  const last = place(to, step)
  const first = Math.min(place(from, step), last - fewestBars + 1)
  const buckets = Array.from({ length: last - first + 1 }, (_, index) => ({
    at: (first + index) * step - offset,
    failed: 0,
    succeeded: 0,
    unknown: 0,
  }))
  for (const facts of builds) {
    const bucket = buckets[place(timeOf(facts), step) - first]
    if (bucket !== undefined) bucket[facts.outcome ?? 'unknown'] += 1
  }
  return { step, buckets }
}

function stepFor(barsOf: (step: number) => number): number {
  const fitting = steps.find((step) => barsOf(step) <= mostBars)
  if (fitting !== undefined) return fitting
  for (let step = 728 * day; ; step *= 2) if (barsOf(step) <= mostBars) return step
}
