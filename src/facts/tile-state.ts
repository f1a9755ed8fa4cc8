import type { Facts } from '../protocol/facts.ts'
import { branchOf } from './build-origin.ts'
import { type DayDurations, dayDurations } from './tile-durations.ts'
import { type BothOutcomes, bothOutcomes, flakySince } from './tile-flakiness.ts'
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
      branch: branchOf(build),
      user: build.user ?? undefined,
    }
  )
}

function outcomeOf({ buildId, outcome }: Facts): Outcome[] {
  return outcome === 'succeeded' || outcome === 'failed' ? [{ buildId, outcome }] : []
}
