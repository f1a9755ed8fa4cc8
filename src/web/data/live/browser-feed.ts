import type { Clock } from '../../../protocol/clock.ts'
import { createFeed } from './create-feed.ts'
import type { Feed } from './feed.ts'
import { createLiveSource } from './live-source.ts'
import type { SessionKeeper } from '../core/session.ts'
import { createSharedSource } from './shared-stream.ts'

/** What the page's feed is made with; the entry alone touches the real clock. */
export interface BrowserFeedOptions {
  readonly session: SessionKeeper
  readonly clock: Clock
  readonly random: () => number
  /** The page is a wall, which hangs for weeks and lists nothing. */
  readonly isWall: boolean
}

/** What a wall keeps of the builds: its tiles keep those they need, and little memory is quickly tidied. */
const keptOnWall = 10_000

/**
 * The feed of this page, over one stream for all tabs of the browser. Where the browser cannot
 * share (plain HTTP to another host has no Web Locks), each tab reads a stream of its own; so does a
 * wall, as it keeps too little to serve the others.
 */
export function createBrowserFeed({ session, clock, random, isWall }: BrowserFeedOptions): Feed {
  const own = createLiveSource({
    fetch: (input, init) => fetch(input, init),
    clock,
    random,
    isOnline: () => navigator.onLine,
    session,
  })
  const canShare = !isWall && 'locks' in navigator && 'BroadcastChannel' in window
  const feed = createFeed({
    clock,
    ...(isWall ? { limit: keptOnWall } : {}),
    source: canShare
      ? createSharedSource({
          own,
          locks: navigator.locks,
          openChannel: (name) => new BroadcastChannel(name),
          clock,
          tabId: random().toString(36).slice(2),
        })
      : own,
  })
  // No reason to sit out a back-off once the network is there again.
  window.addEventListener('online', () => {
    if (feed.getSnapshot().connection.state === 'retrying') feed.reconnect()
  })
  return feed
}
