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
    isListed(row) ? [endingKey(minuteOf(row.build.timestamp), outcomeOf(row))] : [],
  )

  function isListed({ arrival }: FeedRow): boolean {
    if (listed === undefined) return true
    const arrivals = listed()
    return arrivals[placeOf(arrivals, arrival)] === arrival
  }

  return {
    minutes: (now) => {
      if (listed === undefined) return feed.getSnapshot().perMinute
      const counts = endings.getSnapshot()
      const last = minuteOf(now)
      return Array.from({ length: 60 }, (_, index) => {
        const minute = last - 59 + index
        const count = (ending: Ending): number => counts.get(endingKey(minute, ending)) ?? 0
        return {
          minute: minute * minuteMs,
          succeeded: count('succeeded'),
          failed: count('failed'),
          unknown: count('unknown'),
        }
      })
    },
    tools: () => {
      // Kept up to date with each change, as a counter that missed one counts all anew.
      if (listed !== undefined) endings.getSnapshot()
      return tools.getSnapshot()
    },
  }
}

type Ending = ReturnType<typeof outcomeOf>

const minuteMs = 60_000

function minuteOf(time: number): number {
  return Math.floor(time / minuteMs)
}

function endingKey(minute: number, ending: Ending): string {
  return `${minute} ${ending}`
}
