import { createFeedFilter, type FeedFilter } from '../../data/live/feed-filter.ts'
import type { Feed } from '../../data/live/feed.ts'
import type { FeedRow } from '../../data/live/feed-snapshot.ts'
import type { RowMatch } from './row-match.ts'

/** How many rows of a followed query are listed, and why. */
export interface FollowedCounts {
  readonly matching: number
  /** Listed until their facts tell. */
  readonly waiting: number
  /** Listed because their facts do not tell. */
  readonly untold: number
}

/** The rows of a feed that match a query, or may match it; see `FeedFilter`. */
export interface FollowedRows extends FeedFilter {
  readonly counts: () => FollowedCounts
}

/**
 * Narrows a feed to the rows that match and those that may: no build is left out because something is
 * not known of it.
 */
export function createFollowedRows(feed: Feed, match: (row: FeedRow) => RowMatch): FollowedRows {
  /** The filter asks once of each row that is new or changed: what was last said of it holds. */
  const open = new Map<number, 'waiting' | 'untold'>()

  const filter = createFeedFilter(feed, (row) => {
    const said = match(row)
    if (said === 'yes' || said === 'no') open.delete(row.arrival)
    else open.set(row.arrival, said)
    return said !== 'no'
  })

  return {
    subscribe: filter.subscribe,
    getSnapshot: filter.getSnapshot,
    counts: () => {
      const { arrivals } = filter.getSnapshot()
      const { oldest } = feed.getSnapshot()
      const count = { waiting: 0, untold: 0 }
      for (const [arrival, why] of open) {
        if (arrival < oldest) open.delete(arrival)
        else count[why] += 1
      }
      return { matching: arrivals.length - count.waiting - count.untold, ...count }
    },
  }
}
