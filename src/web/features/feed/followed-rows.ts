import { countOf, countText } from '../../../protocol/count.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { Answer } from '../../../search/match.ts'
import { createFeedFilter, type FeedFilter } from '../../data/live/feed-filter.ts'
import type { Feed, FeedRow } from '../../data/live/feed-state.ts'
import type { TableBuild, Verdict } from '../../domain/build-table/build-columns.tsx'

/** How many rows of a followed query are listed, and why. */
export interface FollowedCounts {
  readonly matching: number
  /** Listed until their facts come. */
  readonly waiting: number
  /** Listed because their facts leave it open. */
  readonly unknown: number
}

/** The rows of a feed that match a query, or may match it; see `FeedFilter`. */
export interface FollowedRows extends FeedFilter {
  readonly counts: () => FollowedCounts
}

/**
 * Narrows a feed to the rows that match and those that may: no build is left out because something is
 * not known of it.
 */
export function createFollowedRows(feed: Feed, match: (row: FeedRow) => Verdict): FollowedRows {
  /** The filter matches each row once when it is new or changed: the last verdict holds. */
  const open = new Map<number, 'waiting' | 'unknown'>()

  const filter = createFeedFilter(feed, (row) => {
    const verdict = match(row)
    if (verdict === 'yes' || verdict === 'no') open.delete(row.arrival)
    else open.set(row.arrival, verdict)
    return verdict !== 'no'
  })

  return {
    subscribe: filter.subscribe,
    getSnapshot: filter.getSnapshot,
    counts: () => {
      const { arrivals } = filter.getSnapshot()
      const { oldest } = feed.getSnapshot()
      const count = { waiting: 0, unknown: 0 }
      for (const [arrival, why] of open) {
        if (arrival < oldest) open.delete(arrival)
        else count[why] += 1
      }
      return { matching: arrivals.length - count.waiting - count.unknown, ...count }
    },
  }
}

/** How a row stands to a query. What its build announced of itself is known without facts. */
export function matchOf(row: FeedRow, query: (facts: Facts) => Answer): Verdict {
  const answer = query(row.facts ?? announced(row))
  if (answer !== 'unknown') return answer
  return row.facts === undefined ? 'waiting' : 'unknown'
}

/** A row as a table shows it; what its build announced of itself stands in for its details. */
export function tableBuildOf(row: FeedRow, verdict?: Verdict): TableBuild {
  return {
    facts: row.facts ?? announced(row),
    isPending: row.facts === undefined,
    ...(verdict && { verdict }),
  }
}

/** Rows as the table shows them: the same object for the same row, so that it is drawn once. */
export function createTableBuilds(
  match: ((row: FeedRow) => Verdict) | undefined,
): (row: FeedRow) => TableBuild {
  const made = new WeakMap<FeedRow, TableBuild>()
  return (row) => {
    const build = made.get(row) ?? tableBuildOf(row, match?.(row))
    made.set(row, build)
    return build
  }
}

function announced({ build }: FeedRow): Facts {
  return {
    buildId: build.buildId,
    receivedAt: build.timestamp,
    buildTool: build.toolType,
    buildToolVersion: build.toolVersion,
    agentVersion: build.agentVersion,
  }
}

/** What a followed query brought: "12 builds match, 2 pending, 1 unknown." */
export function followSentence({ matching, waiting, unknown }: FollowedCounts): string {
  const parts = [
    matching === 0 ? 'No builds match' : countOf(matching, 'build matches', 'builds match'),
    waiting > 0 && `${countText(waiting)} pending`,
    unknown > 0 && `${countText(unknown)} unknown`,
  ]
  return `${parts.filter((part) => part !== false).join(', ')}.`
}
