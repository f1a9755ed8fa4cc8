import type { Attributes } from '../../../protocol/build-data.ts'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import { hourMs, minuteMs } from '../../../protocol/clock.ts'
import { plainToolEvents } from './build-events.ts'
import { type BuildPlan, planBuild } from './build-plan.ts'
import { valuesOf } from './build-values.ts'
import { gradleEvents } from './gradle-events.ts'
import { mavenEvents } from './maven-events.ts'
import { buildsPerHour } from './rhythm.ts'
import { between, createSeededRandom, exponential, poisson, type Random } from './seeded-random.ts'
import { attributesOf } from './shapes.ts'
import { storyAt, toldBetween } from './story.ts'

/**
 * A whole build as the embedded services store it: what the export stream announces, what the build
 * data API has of it, and its events, oldest first, each as its JSON text so that 64-bit ids stay
 * exact. `attributes` is null where only events are known, as with an imported recording.
 */
export interface RecordedBuild {
  readonly message: BuildMessage
  readonly attributes: Attributes | null
  readonly events: readonly string[]
}

/** How many events a build has: `light` is enough for its facts and costs little. */
export type EventLoad = 'full' | 'light'

/** Writes down a planned build; message, attributes and events agree. */
export function recordBuild(plan: BuildPlan, load: EventLoad, random: Random): RecordedBuild {
  const { tool } = plan.project
  const light = load === 'light'
  const values = valuesOf(plan)
  return {
    message: {
      buildId: plan.buildId,
      timestamp: plan.receivedAt,
      toolType: tool,
      toolVersion: plan.toolVersion,
      agentVersion: plan.agentVersion,
    },
    attributes: attributesOf(tool, values),
    events:
      tool === 'gradle'
        ? gradleEvents(plan, values, light, random)
        : tool === 'maven'
          ? mavenEvents(plan, values, light, random)
          : plainToolEvents(plan, values, values),
  }
}

export interface HistoryOptions {
  /** The same seed gives the same company, the same troubles and the same builds. */
  readonly seed: number
  /** How many builds. */
  readonly count: number
  /** Epoch ms: the last build was received at or right before it. */
  readonly until: number
}

/** Builds take at most half a day, and none begins before 1970. */
const firstHour = 24

/**
 * The last `count` builds that were received up to `until`, in order of receipt, made one by one.
 * The same options give the same bytes; a later `until` knows the same builds and more. 2,000 builds
 * are about three working days. Fewer come only if `until` is so early in 1970 that there was no
 * time for more.
 */
export function* generateHistory({
  seed,
  count,
  until,
}: HistoryOptions): Generator<RecordedBuild, void, undefined> {
  let hour = Math.floor(until / hourMs) + 1
  let found = 0
  while (found < count && hour > firstHour) {
    hour--
    found += receiptsIn(seed, hour, until).length
  }
  for (let tooMany = found - count; hour * hourMs <= until; hour++) {
    for (const [index, receivedAt] of receiptsIn(seed, hour, until).entries()) {
      if (tooMany-- > 0) continue
      const random = createSeededRandom(seed, 'build', hour, index)
      yield recordBuild(
        planBuild({ seed, pace: 1, toldAt: until }, random, receivedAt),
        'full',
        random,
      )
    }
  }
}

/** When builds were received in an hour (counted since 1970) up to `until`, in order, epoch ms. */
function receiptsIn(seed: number, hour: number, until: number): number[] {
  const begin = hour * hourMs
  const random = createSeededRandom(seed, 'hour', hour)
  const count = poisson(random, buildsPerHour(begin))
  return Array.from({ length: count }, () => Math.floor(between(random, begin, begin + hourMs)))
    .concat(toldBetween(storyAt(until), begin, begin + hourMs))
    .filter((at) => at <= until)
    .sort((one, other) => one - other)
}

export interface PresentOptions {
  /** That of the history, whose streaks go on: they follow from the seed and the time alone. */
  readonly seed: number
  /** New builds per second on average, above 0. */
  readonly ratePerSecond: number
  /** Decides gaps, ids and choices; give it Math.random outside of tests, so that ids stay unique. */
  readonly random: () => number
  /** `light` from 50 builds per second on, if it is left out. */
  readonly eventLoad?: EventLoad
}

export interface Present {
  /**
   * The build that follows `now` (epoch ms, may be fractional, at least a day after 1970 began), and
   * how long it is until its receipt, in ms (not rounded): its timestamp is `now + waitMs`, rounded
   * down. Passing `now + waitMs` of the build before keeps the rate exact, however coarse a timer is.
   */
  readonly next: (now: number) => { readonly waitMs: number; readonly build: RecordedBuild }
}

/** Builds per second in a working hour of the history. */
const naturalRate = 0.02

/** So that a branch like main does not get a new commit more often than every four seconds. */
const fastestPace = 500

/**
 * The present of the company whose past `generateHistory` makes. Throws a RangeError for a rate that
 * is not above 0.
 */
export function createPresent(options: PresentOptions): Present {
  const { seed, ratePerSecond, random } = options
  if (!(ratePerSecond > 0)) throw new RangeError('the rate of new builds must be above 0')
  const pace = paceOf(ratePerSecond)
  const load = options.eventLoad ?? (ratePerSecond < 50 ? 'full' : 'light')
  return {
    next: (now) => {
      const waitMs = exponential(random, 1000 / ratePerSecond)
      const plan = planBuild({ seed, pace }, random, now + waitMs)
      return { waitMs, build: recordBuild(plan, load, random) }
    },
  }
}

/** A company whose builds come faster from some moment on, such as when somebody first looks at it. */
export interface CompanyPace {
  readonly seed: number
  /** Builds per second since `begun`, above 0; before, as many as in a history. */
  readonly ratePerSecond: number
  /** Epoch ms. */
  readonly begun: number
}

/**
 * The builds that were received from `from` up to but without `to` (epoch ms), in order. Each follows
 * from pace and time alone: any stretch can be made by itself, and is the same when it is made again.
 */
export function* buildsBetween(
  { seed, ratePerSecond, begun }: CompanyPace,
  from: number,
  to: number,
): Generator<RecordedBuild, void, undefined> {
  const isWithin = (at: number): boolean => at >= from && at < to
  for (let hour = Math.floor(from / hourMs); hour * hourMs < Math.min(to, begun); hour++) {
    for (const [index, receivedAt] of receiptsIn(seed, hour, begun - 1).entries()) {
      if (!isWithin(receivedAt)) continue
      const random = createSeededRandom(seed, 'build', hour, index)
      const company = { seed, pace: 1, toldAt: begun }
      yield recordBuild(planBuild(company, random, receivedAt), 'full', random)
    }
  }
  const pace = paceOf(ratePerSecond)
  const since = Math.max(from, begun)
  for (let minute = Math.floor(since / minuteMs); minute * minuteMs < to; minute++) {
    const begin = minute * minuteMs
    const ofMinute = createSeededRandom(seed, 'minute', minute)
    const count = poisson(ofMinute, (ratePerSecond * minuteMs) / 1000)
    const times = Array.from({ length: count }, () => between(ofMinute, begin, begin + minuteMs))
    for (const [index, at] of times
      .map(Math.floor)
      .sort((a, b) => a - b)
      .entries()) {
      if (at < begun || !isWithin(at)) continue
      const random = createSeededRandom(seed, 'present', minute, index)
      yield recordBuild(planBuild({ seed, pace }, random, at), 'full', random)
    }
  }
}

function paceOf(ratePerSecond: number): number {
  return Math.min(fastestPace, Math.max(1, ratePerSecond / naturalRate))
}

/** A history of fewer builds stays as it is, without an hour that is as busy as the present. */
export const enoughForAnHour = 2000

/**
 * What a database is begun with: the history up to `until`, its last hour at the pace of the present
 * to come, which is faster; otherwise a demonstration begins with an hour in which next to nothing
 * happened. At high rates the hour is cut short to at most half as many builds as the history has.
 */
export function* generatePast(
  options: HistoryOptions & PresentOptions,
): Generator<RecordedBuild, void, undefined> {
  const { seed, count, until } = options
  yield* generateHistory({ seed, count, until: until - recentMs(options) })
  yield* generateRecent({ ...options, since: 0 })
}

/** What is received of that last hour from `since` (epoch ms) on: what a restarted demonstration has missed of it. */
export function* generateRecent(
  options: HistoryOptions & PresentOptions & { readonly since: number },
): Generator<RecordedBuild, void, undefined> {
  const { until, since } = options
  let at = Math.max(since, until - recentMs(options))
  if (recentMs(options) === 0) return
  const present = createPresent(options)
  for (;;) {
    const { waitMs, build } = present.next(at)
    at += waitMs
    if (at >= until) return
    yield build
  }
}

function recentMs({
  count,
  ratePerSecond,
}: Pick<HistoryOptions & PresentOptions, 'count' | 'ratePerSecond'>): number {
  const isSmall = ratePerSecond === 0 || count < enoughForAnHour
  return isSmall ? 0 : Math.min(hourMs, (1000 * count) / 2 / ratePerSecond)
}
