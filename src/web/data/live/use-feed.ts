import { useContext, useSyncExternalStore } from 'react'
import { FeedContext } from './feed-context.ts'
import type { Feed, FeedView } from './feed.ts'

/** The feed of this page, for its commands. Throws an Error outside a FeedContext. */
export function useFeed(): Feed {
  const feed = useContext(FeedContext)
  if (feed === undefined) throw new Error('useFeed needs a FeedContext above it')
  return feed
}

/** The feed at this moment; renders again at each flush (every 100 to 250 ms while builds come). */
export function useFeedSnapshot(): FeedView {
  const feed = useFeed()
  return useSyncExternalStore(feed.subscribe, feed.getSnapshot)
}
