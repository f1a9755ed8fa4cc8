import type { Facts } from '../protocol/facts.ts'
import { branchOrTagOf, commitOf } from './failure-streak.ts'
import { isNewer, type TileBuilds } from './tile-builds.ts'

/**
 * How a tile stands, by its newest finished build.
 * - `failing`: that failed
 * - `flaky`: it succeeded, but within the day before it one commit or branch has had both outcomes
 * - `healthy`: it succeeded
 * - `unknown`: builds were seen, of none of them it is known how it ended
 * - `empty`: no build was seen
 */
export type TileStatus = 'failing' | 'flaky' | 'healthy' | 'unknown' | 'empty'

/** Everything that a tile says. Times are epoch ms, durations ms. */
export interface TileState {
  readonly status: TileStatus
  /** The newest build of which it is known how it ended. */
  readonly newest: Facts | undefined
  /** When the first build of those that put it in this state was received. */
  readonly since: number | undefined
  /** Builds in a row that ended like the newest, it included. */
  readonly inARow: number
  /** Whether state and row may have begun before what is known goes back to. */
  readonly isOpen: boolean
  /** The first failure of the row while it is failing: what broke it. */
  readonly breaking: BreakingBuild | undefined
  /** What has had both outcomes, while it is flaky. */
  readonly flaky: BothOutcomes | undefined
  /** The last 20 outcomes, the oldest first. */
  readonly strip: readonly Outcome[]
  /** Builds that arrived after the newest finished one and are still being stored, 10 at most. */
  readonly storing: number
  readonly durations: DayDurations
}

/** The build with which the failures began. */
export interface BreakingBuild {
  readonly buildId: string
  readonly receivedAt: number
  /** Tasks or goals; empty where they are not known. */
  readonly requested: readonly string[]
  readonly branch: string | undefined
  readonly user: string | undefined
}

/** How one build ended. */
export interface Outcome {
  readonly buildId: string
  readonly outcome: 'succeeded' | 'failed'
}

const stripLength = 20

/**
 * What a tile says of its builds. `now` is epoch ms and, with `timeZone` (IANA), says which builds are
 * of today; throws RangeError where there is no such zone. Builds that are still being stored never
 * hide how the last one ended.
 */
export function tileState(
  { finished, newest: seen }: TileBuilds,
  at: { readonly now: number; readonly timeZone: string },
): TileState {
  const [newest] = finished
  const inARow = rowOf(finished)
  const isFlaky = flakySince(finished)
  const statuses = finished.map(({ outcome }, index) => statusOf(outcome, isFlaky[index]))
  const status = statuses[0] ?? (seen.length > 0 ? 'unknown' : 'empty')
  const changed = statuses.findIndex((other) => other !== status)
  const first = finished.at(changed === -1 ? -1 : changed - 1)
  return {
    status,
    newest,
    since: first?.receivedAt,
    inARow,
    isOpen: newest !== undefined && (changed === -1 || inARow === finished.length),
    breaking: status === 'failing' ? breakingBuild(finished[inARow - 1]) : undefined,
    flaky: status === 'flaky' ? bothOutcomes(finished) : undefined,
    strip: finished.slice(0, stripLength).reverse().flatMap(outcomeOf),
    storing: seen.filter(
      (build) => build.outcome === undefined && (newest === undefined || isNewer(build, newest)),
    ).length,
    durations: dayDurations(finished, at),
  }
}

/** How a tile stands, or stood, with a newest build that ended so. */
function statusOf(outcome: Facts['outcome'], isFlaky = false): TileStatus {
  if (outcome === 'failed') return 'failing'
  return isFlaky ? 'flaky' : 'healthy'
}

function rowOf(finished: readonly Facts[]): number {
  const end = finished.findIndex(({ outcome }) => outcome !== finished[0]?.outcome)
  return end === -1 ? finished.length : end
}

function breakingBuild(build: Facts | undefined): BreakingBuild | undefined {
  return (
    build && {
      buildId: build.buildId,
      receivedAt: build.receivedAt,
      requested: build.requested ?? [],
      branch: branchOrTagOf(build),
      user: build.user ?? undefined,
    }
  )
}

function outcomeOf({ buildId, outcome }: Facts): Outcome[] {
  return outcome === 'succeeded' || outcome === 'failed' ? [{ buildId, outcome }] : []
}

/** How long builds take: today's beside all that are known. Milliseconds; absent where there are none. */
interface DayDurations {
  readonly medianMs: number | undefined
  readonly todayMs: number | undefined
  /** Builds that `todayMs` is the median of. */
  readonly today: number
}

/**
 * The median duration of builds, and of those that were received on the day that `now` (epoch ms) is
 * of in `timeZone` (IANA). Throws RangeError where there is no such zone.
 */
function dayDurations(
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

/** A commit or branch whose builds have both failed and succeeded. */
interface BothOutcomes {
  readonly of: 'commit' | 'branch'
  readonly name: string
}

const dayMs = 24 * 60 * 60 * 1000

/**
 * What has had both outcomes within the 24 hours up to and with the newest build; a commit before a
 * branch, as it says more. `finished` has the newest first. Builds that name neither say nothing.
 */
export function bothOutcomes(finished: readonly Facts[]): BothOutcomes | undefined {
  const outcomes = new Map<string, Facts['outcome']>()
  let branch: BothOutcomes | undefined
  for (const build of finished) {
    if (isDayBefore(build, finished[0])) break
    for (const { origin, key } of knownOrigins(build)) {
      const other = outcomes.get(key)
      outcomes.set(key, other ?? build.outcome)
      if (other === undefined || other === build.outcome) continue
      if (origin.of === 'commit') return origin
      branch ??= origin
    }
  }
  return branch
}

/**
 * Whether, of each build as if it were the newest, `bothOutcomes` would find something. One walk from
 * the oldest to the newest: a wall computes this for hundreds of tiles.
 */
export function flakySince(finished: readonly Facts[]): readonly boolean[] {
  const latest = new Map<string, { succeeded?: number; failed?: number }>()
  const answers: boolean[] = Array.from({ length: finished.length }, () => false)
  /** The newest build that ended unlike a newer one of the same commit or branch. */
  let nearest = finished.length
  for (let index = finished.length - 1; index >= 0; index--) {
    const build = finished[index]
    const { outcome } = build ?? {}
    if (build === undefined || (outcome !== 'succeeded' && outcome !== 'failed')) continue
    for (const { key } of knownOrigins(build)) {
      const seen = latest.get(key) ?? {}
      nearest = Math.min(nearest, seen[outcome === 'failed' ? 'succeeded' : 'failed'] ?? nearest)
      seen[outcome] = index
      latest.set(key, seen)
    }
    const other = finished[nearest]
    answers[index] = other !== undefined && !isDayBefore(other, build)
  }
  return answers
}

function isDayBefore(build: Facts, newest: Facts | undefined): boolean {
  return newest !== undefined && build.receivedAt <= newest.receivedAt - dayMs
}

interface KeyedOrigin {
  readonly origin: BothOutcomes
  readonly key: string
}

/** A build stands in many tiles, and each needs this whenever a build arrives. */
const origins = new WeakMap<Facts, readonly KeyedOrigin[]>()

function knownOrigins(build: Facts): readonly KeyedOrigin[] {
  const known = origins.get(build)
  if (known !== undefined) return known
  const made = originsOf(build).map((origin) => ({ origin, key: `${origin.of}:${origin.name}` }))
  origins.set(build, made)
  return made
}

function originsOf(build: Facts): BothOutcomes[] {
  const commit = commitOf(build)
  const branch = branchOrTagOf(build)
  return [
    ...(commit === undefined ? [] : [{ of: 'commit', name: commit } as const]),
    ...(branch === undefined ? [] : [{ of: 'branch', name: branch } as const]),
  ]
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
