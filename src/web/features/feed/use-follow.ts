import { useEffect, useMemo, useState } from 'react'
import type { FeedRow } from '../../data/live/feed-state.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { viewerZone } from '../../ui/format.ts'
import { useDerivedFromNow } from '../../ui/time.tsx'
import type { FeedAddressState, FollowedQuery } from './feed-address.ts'
import type { readQuery } from './feed-query.ts'
import { matchOf } from './followed-rows.ts'
import type { Verdict } from '../../domain/build-table/build-columns.tsx'
import { useServices } from '../../data/core/services.ts'

/** How far what "an hour ago" means may lag behind the time, ms. */
const stepMs = 30_000

/** The query that the feed follows, as its address has it. */
export interface Follow {
  /** As it stands in the address, also where it cannot be followed; empty where none does. */
  readonly text: string
  /** The zone in which its times without a zone are read. */
  readonly timeZone: string
  /** Undefined while every build is let through: there is no query, or it has errors. */
  readonly match: ((row: FeedRow) => Verdict) | undefined
  /** Follows another query from now on, or none. */
  readonly change: (next: FollowedQuery | undefined) => void
}

/** Reads and changes the address. What depends on the time is judged anew as it goes by. */
export function useFollow({ followed, change }: FeedAddressState): Follow {
  const { zone } = usePreferences()
  const text = followed?.text ?? ''
  const timeZone = followed?.zone ?? viewerZone(zone)

  const read = useReadQuery(text !== '')
  const query = useMemo(() => read?.(text), [read, text])
  const { feed } = useServices()
  const now = useDerivedFromNow((at) =>
    query?.isRelative === true
      ? Math.round((at + feed.getSnapshot().clockDifference) / stepMs) * stepMs
      : 0,
  )
  const match = useMemo(() => {
    if (text === '') return undefined
    // Nothing is known of any build before the language is loaded.
    if (read === undefined) return () => 'waiting' as const
    const answer = query?.answerAt({ now, timeZone })
    return answer && ((row: FeedRow) => matchOf(row, answer))
  }, [text, read, query, now, timeZone])

  return {
    text,
    timeZone,
    match,
    change: (next) => {
      change({ followed: next })
    },
  }
}

/** The reader of queries, which is loaded when one is there: most look at the feed as it is. */
function useReadQuery(isNeeded: boolean): typeof readQuery | undefined {
  const [read, setRead] = useState<typeof readQuery>()
  useEffect(() => {
    if (!isNeeded) return
    let isGone = false
    import('./feed-query.ts').then(
      (module) => {
        if (!isGone) setRead(() => module.readQuery)
      },
      (error: unknown) => {
        // As with any other part of a page that cannot be had: its error page shows it.
        setRead(() => {
          throw error
        })
      },
    )
    return () => {
      isGone = true
    }
  }, [isNeeded])
  return read
}
