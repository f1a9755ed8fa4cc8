import { useEffect, useLayoutEffect, useRef } from 'react'
import type { BuildSearch } from '../../data/builds/build-search.ts'
import { useServices } from '../../data/core/services.ts'
import type { FeedView } from '../../data/live/feed-state.ts'
import type { RefreshChoice } from './search-address.ts'

/** How often is looked where nothing else was chosen, ms. */
const usualMs = 20_000

const choiceMs = {
  off: usualMs,
  '10s': 10_000,
  '30s': 30_000,
  '1m': 60_000,
  '5m': 300_000,
} as const satisfies Record<RefreshChoice, number>

/**
 * Looks for newer builds of a search now and then while the page is in sight, and calls `onLook` each
 * time. The list is requested only where the live feed has, or may have, a new build that matches: many
 * tabs that wait for something rare request nothing.
 */
export function useNewerBuilds(
  search: BuildSearch,
  refresh: RefreshChoice,
  onLook: () => void,
): void {
  const { clock, random, feed } = useServices()
  const latest = useRef(onLook)
  useLayoutEffect(() => {
    latest.current = onLook
  })
  useEffect(() => {
    let cancel: () => void = () => undefined
    /** Up to which arrival of the feed was looked; undefined: not yet. */
    let seen: number | undefined

    async function look(): Promise<void> {
      const view = feed.getSnapshot()
      const isWanted = seen === undefined || mayHaveMatch(view, seen, search)
      if (isWanted) await search.lookForNewer()
      seen = view.newest
      latest.current()
    }

    function wait(): void {
      const ms = choiceMs[refresh] * (0.9 + 0.2 * random())
      cancel = clock.after(ms, () => {
        wait()
        if (document.visibilityState === 'visible') void look()
      })
    }

    // Who comes back to the page sees at once what came meanwhile.
    const shown = (): void => {
      if (document.visibilityState === 'visible') void look()
    }
    wait()
    document.addEventListener('visibilitychange', shown)
    return () => {
      cancel()
      document.removeEventListener('visibilitychange', shown)
    }
  }, [search, refresh, clock, random, feed])
}

/**
 * Whether a build that arrived after `seen` may match: one whose facts are not known may, and so may
 * those that a feed which isn't live does not know of.
 */
export function mayHaveMatch(
  { connection, oldest, newest, row }: Pick<FeedView, 'connection' | 'oldest' | 'newest' | 'row'>,
  seen: number,
  search: Pick<BuildSearch, 'mayMatch'>,
): boolean {
  if (connection.state !== 'live' || seen + 1 < oldest) return true
  for (let arrival = newest; arrival > seen; arrival -= 1) {
    const facts = row(arrival)?.facts
    if (facts === undefined || search.mayMatch(facts)) return true
  }
  return false
}
