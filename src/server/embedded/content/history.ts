import { planBuild } from './build-plan.ts'
import { recordBuild } from './record-build.ts'
import type { RecordedBuild } from './recorded-build.ts'
import { buildsPerHour, hourMs } from './rhythm.ts'
import { between, createSeededRandom, poisson } from './seeded-random.ts'

export interface HistoryOptions {
  /** The same seed gives the same company, the same troubles and the same builds. */
  readonly seed: number
  /** How many builds. */
  readonly count: number
  /** Epoch ms: the last build was received at or right before it. */
  readonly until: number
}

/**
 * The last `count` builds that were received up to `until`, in order of receipt, made one by one as
 * they are asked for. The same options give the same bytes; a later `until` knows the same builds
 * and more. 2,000 builds are about three working days. Fewer come only if `until` is so early in
 * 1970 that there was no time for more.
 */
export function* generateHistory(
  options: HistoryOptions,
): Generator<RecordedBuild, void, undefined> {
  const { seed, until } = options
  const world = { seed, pace: 1 }
  let { hour, tooMany } = beginning(options)
  for (; hour * hourMs <= until; hour++) {
    for (const [index, receivedAt] of receiptsIn(seed, hour, until).entries()) {
      if (tooMany > 0) {
        tooMany--
        continue
      }
      const random = createSeededRandom(seed, 'build', hour, index)
      yield recordBuild(planBuild(world, random, receivedAt), 'full', random)
    }
  }
}

/** The hour to begin with, and how many of its builds are to be left out. */
function beginning({ seed, count, until }: HistoryOptions): { hour: number; tooMany: number } {
  let hour = Math.floor(until / hourMs) + 1
  let found = 0
  while (found < count && hour > firstHour) {
    hour--
    found += receiptsIn(seed, hour, until).length
  }
  return { hour, tooMany: Math.max(0, found - count) }
}

/** Builds take at most half a day, and none begins before 1970. */
const firstHour = 24

/** When builds were received in an hour (counted since 1970) up to `until`, in order, epoch ms. */
function receiptsIn(seed: number, hour: number, until: number): number[] {
  const begin = hour * hourMs
  const random = createSeededRandom(seed, 'hour', hour)
  const count = poisson(random, buildsPerHour(begin))
  return Array.from({ length: count }, () => Math.floor(between(random, begin, begin + hourMs)))
    .filter((at) => at <= until)
    .sort((one, other) => one - other)
}
