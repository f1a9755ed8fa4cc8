import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import { createWallWatch, type SilentSide, type Trust } from '../../data/wall/wall-watch.ts'

/** How far what the wall shows can be believed; while it is shown, the feed is kept alive. */
export function useTrust(): Trust {
  const { feed, clock, fetch, isOnline } = useServices()
  const watch = useMemo(
    () => createWallWatch({ feed, clock, fetch, isOnline }),
    [feed, clock, fetch, isOnline],
  )
  const trust = useStore(watch)
  const isSignedOut = trust.is === 'silent' && trust.side === 'session'
  const queries = useQueryClient()
  useEffect(() => {
    // Refused the configuration as well, the page shows a code instead of the wall.
    if (isSignedOut) void queries.invalidateQueries({ queryKey: ['config'] })
  }, [isSignedOut, queries])
  return trust
}

/** What a wall says of itself: large, and nothing else is as loud. */
export interface TrustWords {
  /** Which side is silent and since when: one sentence. */
  readonly title: string
  /** What that means for what is shown, and what was said of it. */
  readonly meaning: string
}

const sides: Record<SilentSide, string> = {
  starting: 'Waiting for data',
  network: 'This screen is offline',
  proxy: 'No data from Sightline',
  session: 'This screen is signed out',
  upstream: 'No data from the build server',
  none: 'No build server is connected',
  ended: 'The build stream has ended',
}

/** `since` is the time of day of `trust.since`, `age` how long ago that was. */
export function trustWords(
  trust: Extract<Trust, { is: 'silent' }>,
  { since, age }: { readonly since: string | undefined; readonly age: string | undefined },
): TrustWords {
  const { side, reason } = trust
  const when = since === undefined ? '' : ` since ${since}`
  if (side === 'none') return { title: `${sides.none}.`, meaning: reason ?? '' }
  const shown =
    since === undefined || age === undefined ? 'No data yet.' : `Showing the state from ${age}.`
  // One line, as in a moment: nothing below has to move when the first news comes.
  if (side === 'starting') return { title: `${sides.starting}…`, meaning: reason ?? '' }
  return {
    title: `${sides[side]}${when}.`,
    meaning: [shown, reason, 'Reconnects automatically.']
      .filter((part) => part !== undefined)
      .join(' '),
  }
}

/** Whether what is shown may no longer be true; before the first news there is nothing to grey. */
export function isStale(trust: Trust): boolean {
  return trust.is === 'silent' && trust.side !== 'starting'
}
