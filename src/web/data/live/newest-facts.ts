import type { Facts } from '../../../protocol/facts.ts'
import type { Feed } from './feed-state.ts'

/** In how many of the newest builds values are looked for: enough, and done within a keystroke. */
const most = 5000

/** What is known of the newest builds of the feed, newest first: where an editor finds values. */
export function newestFacts(feed: Pick<Feed, 'getSnapshot'>): readonly Facts[] {
  const { oldest, newest, row } = feed.getSnapshot()
  const found: Facts[] = []
  for (let arrival = newest; arrival >= oldest && arrival > newest - most; arrival--) {
    const facts = row(arrival)?.facts
    if (facts !== undefined) found.push(facts)
  }
  return found
}
