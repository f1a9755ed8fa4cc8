import type { Facts } from '../../../protocol/facts.ts'
import { followRows } from '../live/feed-filter.ts'
import type { Feed } from '../live/feed-state.ts'

interface WallArrivals {
  /** Takes up what the feed has changed since the last look. */
  readonly gather: () => void
  /** Begins again with all that the feed has kept. */
  readonly again: () => void
  /** Gives each build to `take`, newest first, while `goesOn` says so; true when nothing is left. */
  readonly look: (take: (facts: Facts) => void, goesOn: () => boolean) => boolean
}

/** What comes to a feed; begins with all that the feed has kept. */
export function createWallArrivals(feed: Feed): WallArrivals {
  const changesOf = followRows(feed)
  /** Single ones, and all from `from` down to `to`. */
  let touched: number[] = []
  let span: { from: number; to: number } = { from: 0, to: 1 }

  return {
    gather: () => {
      const changes = changesOf()
      if (changes === undefined) return
      const { view, anew, changed, firstNew } = changes
      if (anew) {
        touched = []
        span = { from: view.newest, to: view.oldest }
        return
      }
      touched.push(...changed)
      for (let arrival = firstNew; arrival <= view.newest; arrival++) touched.push(arrival)
      // More than can be looked at arrives: the oldest say least, and the search finds them.
      if (touched.length > mostTouched) touched = touched.slice(-mostTouched / 2)
    },
    again: () => {
      const { newest, oldest } = feed.getSnapshot()
      span = { from: newest, to: oldest }
    },
    look: (take, goesOn) => {
      const { row } = feed.getSnapshot()
      // Without facts nothing is known but the tool; they are on their way.
      const takeRow = (arrival: number): void => {
        const facts = row(arrival)?.facts
        if (facts !== undefined) take(facts)
      }
      let count = 0
      const isTime = (): boolean => ++count % 16 !== 0 || goesOn()
      while (touched.length > 0) {
        takeRow(touched.pop() ?? 0)
        if (!isTime()) return false
      }
      while (span.from >= span.to) {
        takeRow(span.from)
        span.from -= 1
        if (!isTime()) return false
      }
      return true
    },
  }
}

const mostTouched = 50_000
