import { planBuild } from './build-plan.ts'
import { type EventLoad, recordBuild } from './record-build.ts'
import type { RecordedBuild } from './recorded-build.ts'
import { exponential } from './seeded-random.ts'

export interface PresentOptions {
  /** That of the history, whose streaks go on: they follow from the seed and the time alone. */
  readonly seed: number
  /** New builds per second on average, above 0. */
  readonly ratePerSecond: number
  /** Decides gaps, ids and choices; give it Math.random outside of tests, so that ids stay unique. */
  readonly random: () => number
  /** How much each build has to tell: `light` from 50 builds per second on, unless said otherwise. */
  readonly eventLoad?: EventLoad
}

/** The next build, and how long it is until its receipt, in ms (not rounded). */
interface Arrival {
  readonly waitMs: number
  /** Its `message.timestamp` is `now + waitMs`, rounded down. */
  readonly build: RecordedBuild
}

export interface Present {
  /**
   * The build that follows `now` (epoch ms, may be fractional, at least a day after 1970 began).
   * Whoever passes `now + waitMs` of the arrival before keeps the rate exact, however coarse its
   * timer is.
   */
  readonly next: (now: number) => Arrival
}

/**
 * The living present of the company whose past `generateHistory` tells. Throws a RangeError for a
 * rate that is not above 0.
 */
export function createPresent(options: PresentOptions): Present {
  const { seed, ratePerSecond, random } = options
  if (!(ratePerSecond > 0)) throw new RangeError('the rate of new builds must be above 0')
  const world = { seed, pace: Math.min(fastestPace, Math.max(1, ratePerSecond / naturalRate)) }
  const load = options.eventLoad ?? (ratePerSecond < 50 ? 'full' : 'light')
  return {
    next: (now) => {
      const waitMs = exponential(random, 1000 / ratePerSecond)
      const plan = planBuild(world, random, now + waitMs)
      return { waitMs, build: recordBuild(plan, load, random) }
    },
  }
}

/** Builds per second in a working hour of the history. */
const naturalRate = 0.02

/** So that a branch like main does not get a new commit more often than every four seconds. */
const fastestPace = 500
