import { useMemo } from 'react'
import type { Feed } from '../../data/live/feed.ts'
import { useFeed } from '../../data/live/use-feed.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { QueryAssistance } from '../../ui/query-editor/query-assistance.ts'
import { seenValues } from '../../ui/query-editor/seen-values.ts'
import { useTicker } from '../../ui/time.tsx'

/** In how many of the newest builds values are looked for: enough, and done within a keystroke. */
const most = 5000

/** What the editor knows here: values are those of the newest builds of the feed. */
export function useFeedAssistance(timeZone: string, history: readonly string[]): QueryAssistance {
  const feed = useFeed()
  const ticker = useTicker()
  return useMemo(
    () => ({
      timeZone,
      now: ticker.now,
      history,
      values: (fieldName, pairName) => seenValues(newestFacts(feed), fieldName, pairName),
    }),
    [feed, ticker, timeZone, history],
  )
}

function newestFacts(feed: Feed): readonly Facts[] {
  const { oldest, newest, row } = feed.getSnapshot()
  const found: Facts[] = []
  for (let arrival = newest; arrival >= oldest && arrival > newest - most; arrival--) {
    const facts = row(arrival)?.facts
    if (facts !== undefined) found.push(facts)
  }
  return found
}
