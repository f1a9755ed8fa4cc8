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

/** What can be said of the times of silence, as texts; undefined where it is not known. */
interface SilenceTimes {
  /** When that side was last heard, or when what is shown was kept: the time of day, with its day where that is not today. */
  readonly since: string | undefined
  readonly age: string | undefined
  /** How long until it is tried again. */
  readonly retry: string | undefined
  /** Nothing was heard since the page was opened: it shows what was kept on this device. */
  readonly isKept: boolean
}

/** The words of a silence. */
export function trustWords(
  trust: Extract<Trust, { is: 'silent' }>,
  { since, age, retry, isKept }: SilenceTimes,
): TrustWords {
  const { side, reason } = trust
  if (side === 'none') return { title: `${sides.none}.`, meaning: reason ?? '' }
  const isTried = ['starting', 'network', 'proxy'].includes(side)
  const next =
    side === 'session'
      ? 'Continues after someone signs in.'
      : !isTried
        ? 'Reconnects automatically.'
        : retry === undefined
          ? 'Trying again.'
          : `Trying again in ${retry}.`
  if (isKept && since !== undefined) {
    return {
      title: age === undefined ? `As of ${since}.` : `As of ${since}, ${age}.`,
      meaning: [
        silences[side],
        age === undefined ? "This device's clock is behind, so its age isn't known." : undefined,
        ['upstream', 'session', 'ended'].includes(side) ? reason : undefined,
        next,
      ]
        .filter((part) => part !== undefined)
        .join(' '),
    }
  }
  const when = since === undefined ? '' : ` since ${since}`
  const shown =
    since === undefined || age === undefined ? 'No data yet.' : `Showing the state from ${age}.`
  // One line, as in a moment: nothing below has to move when the first news comes.
  if (side === 'starting') return { title: `${sides.starting}…`, meaning: reason ?? '' }
  return {
    title: `${sides[side]}${when}.`,
    meaning: [shown, reason, next].filter((part) => part !== undefined).join(' '),
  }
}

/** What of a side is said where it was not heard at all. */
const silences: Record<Exclude<SilentSide, 'none'>, string> = {
  starting: 'Connecting to Sightline.',
  network: 'This screen is offline.',
  proxy: "Sightline doesn't respond.",
  session: 'This screen is signed out.',
  upstream: "The build server doesn't respond.",
  ended: 'The build stream has ended.',
}

/** Whether what is shown may no longer be true; before the first news there is nothing to gray, but what was `kept` on this device. */
export function isStale(trust: Trust, isKept = false): boolean {
  return trust.is === 'silent' && (trust.side !== 'starting' || isKept)
}
