import { createValueCounts } from '../../data/live/feed-filter.ts'
import type { Feed, FeedRow, MinuteCount } from '../../data/live/feed-state.ts'
import { outcomeOf } from './filter.ts'
import { placeOf } from './row-list.ts'

/** How many of the builds that a list shows are of which minute, outcome and tool. */
export interface ShownCounts {
  /** The last 60 minutes up to `now` (epoch ms, the clock that stamps builds), oldest first. */
  readonly minutes: (now: number) => readonly MinuteCount[]
  /** By tool; to be read at each change of the feed, as it then costs what changed, not what is kept. */
  readonly tools: () => ReadonlyMap<string, number>
}

/**
 * Counts the rows of a feed whose arrivals are listed; all of them where `listed` is undefined, and
 * then also those of the last hour that are no longer kept.
 */
export function createShownCounts(
  feed: Feed,
  listed: (() => readonly number[]) | undefined,
): ShownCounts {
  const tools = createValueCounts(feed, (row) => (isListed(row) ? [row.build.toolType] : []))
  const endings = createValueCounts(feed, (row) =>
    isListed(row) ? [`${minuteOf(row.build.timestamp)} ${outcomeOf(row)}`] : [],
  )

  function isListed({ arrival }: FeedRow): boolean {
    if (listed === undefined) return true
    const arrivals = listed()
    return arrivals[placeOf(arrivals, arrival)] === arrival
  }

  return {
    minutes: (now) => {
      if (listed === undefined) return feed.getSnapshot().perMinute
      const last = minuteOf(now)
      const minutes = Array.from({ length: 60 }, (_, index) => ({
        minute: (last - 59 + index) * minuteMs,
        succeeded: 0,
        failed: 0,
        unknown: 0,
      }))
      for (const [key, count] of endings.getSnapshot()) {
        const ending = outcomes.find((outcome) => key.endsWith(outcome)) ?? 'unknown'
        // Builds from the future, by a clock that is ahead, count as of this minute (feed-rows.ts).
        const counts = minutes[59 + Math.min(0, parseInt(key, 10) - last)]
        if (counts !== undefined) counts[ending] += count
      }
      return minutes
    },
    tools: () => {
      // Kept up to date with each change, as a counter that missed one counts all anew.
      if (listed !== undefined) endings.getSnapshot()
      return tools.getSnapshot()
    },
  }
}

const outcomes = ['succeeded', 'failed', 'unknown'] as const

const minuteMs = 60_000

function minuteOf(time: number): number {
  return Math.floor(time / minuteMs)
}
