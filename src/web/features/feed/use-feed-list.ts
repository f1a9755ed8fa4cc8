import { useCallback, useMemo, useReducer, useState, useSyncExternalStore } from 'react'
import { createFeedFilter } from '../../data/live/feed-filter.ts'
import type { FeedView } from '../../data/live/feed-state.ts'
import { useTicker } from '../../ui/time.tsx'
import { type Filter, isNarrowed, predicateOf } from './filter.ts'
import { createFollowedRows, type FollowedCounts } from './followed-rows.ts'
import { following, type Hold, holdReducer, type RowsAt } from './hold.ts'
import type { Follow } from './use-follow.ts'
import { useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'

/** What the screen lists at this moment, and why it stands still if it does. */
export interface FeedList {
  readonly view: FeedView
  readonly rows: RowList
  readonly hold: Hold
  /** Builds that came since the list is held and that the filter lets through. */
  readonly waiting: number
  /** Builds that the cap dropped since then. */
  readonly lost: number
  /** Of the query that is followed, asked when it is to be told; undefined where none is. */
  readonly counts: (() => FollowedCounts) | undefined
  readonly commands: FeedListCommands
}

/** By what the list is narrowed: the filters, and the query that is followed. */
interface Narrowing {
  readonly filter: Filter
  readonly follow: Pick<Follow, 'text' | 'match'>
}

/** What can be done to the list; the same functions as long as the filter is the same. */
export interface FeedListCommands {
  readonly pause: () => void
  /** Back to the newest builds, whatever the list was held for. */
  readonly resume: () => void
  readonly select: (arrival: number) => void
  readonly deselect: () => void
  /** Tells whether the newest row is out of sight. */
  readonly scrolled: (away: boolean) => void
}

/** Joins the feed, what narrows it, and what the reader holds. */
export function useFeedList({ filter, follow }: Narrowing): FeedList {
  const view = useStore(useServices().feed)
  const { readNow, counts } = useRowsAt(filter, follow.match)
  const now = readNow()
  const [hold, dispatch] = useReducer(holdReducer, following)

  // A query that is judged anew as time goes by is still the same.
  const [heldFor, setHeldFor] = useState({ filter, text: follow.text })
  if (heldFor.filter !== filter || heldFor.text !== follow.text) {
    setHeldFor({ filter, text: follow.text })
    dispatch({ type: 'narrow', now })
  }

  const ticker = useTicker()
  const moment = useCallback(() => ({ now: readNow(), at: ticker.now() }), [readNow, ticker])
  const commands = useMemo<FeedListCommands>(
    () => ({
      pause: () => {
        dispatch({ type: 'pause', ...moment() })
      },
      resume: () => {
        dispatch({ type: 'resume' })
      },
      select: (arrival) => {
        dispatch({ type: 'select', arrival, ...moment() })
      },
      deselect: () => {
        dispatch({ type: 'deselect' })
      },
      scrolled: (away) => {
        dispatch({ type: 'scroll', away, ...moment() })
      },
    }),
    [moment],
  )

  const live = rowList(now, view.oldest)
  const { rows } = hold
  return {
    view,
    rows: rows === undefined ? live : rowList(rows, view.oldest),
    hold,
    waiting: rows === undefined ? 0 : live.countAfter(rows.newest),
    lost: rows === undefined ? 0 : view.dropped - rows.dropped,
    counts,
    commands,
  }
}

function rowList({ newest, arrivals }: RowsAt, oldest: number): RowList {
  return arrivals === undefined ? allRows(oldest, newest) : someRows(arrivals, oldest)
}

/** How to read the rows as they are now; renders again when they change. */
function useRowsAt(
  filter: Filter,
  match: Follow['match'],
): { readonly readNow: () => RowsAt; readonly counts: FeedList['counts'] } {
  const { feed } = useServices()
  const followed = useMemo(() => {
    if (match === undefined) return undefined
    const isLetThrough = predicateOf(filter)
    return createFollowedRows(feed, (row) => (isLetThrough(row) ? match(row) : 'no'))
  }, [feed, filter, match])
  const filtered = useMemo(
    () =>
      match === undefined && isNarrowed(filter)
        ? createFeedFilter(feed, predicateOf(filter))
        : undefined,
    [feed, filter, match],
  )
  const narrowed = followed ?? filtered
  useSyncExternalStore(feed.subscribe, () => narrowed?.getSnapshot())
  const readNow = useCallback(() => {
    const { newest, dropped } = feed.getSnapshot()
    return { newest, dropped, arrivals: narrowed?.getSnapshot().arrivals }
  }, [feed, narrowed])
  return { readNow, counts: followed?.counts }
}

/** Rows in the order of the screen, newest first, named by their arrival (feed-snapshot.ts). */
export interface RowList {
  readonly count: number
  readonly arrivalAt: (index: number) => number | undefined
  /** Where an arrival stands, undefined if it is not in the list. */
  readonly indexOf: (arrival: number) => number | undefined
  /** How many rows arrived after the one given. */
  readonly countAfter: (arrival: number) => number
}

/** All rows of a feed that keeps `oldest` to `newest`; empty when oldest > newest. */
export function allRows(oldest: number, newest: number): RowList {
  const count = Math.max(0, newest - oldest + 1)
  return {
    count,
    arrivalAt: (index) => (index >= 0 && index < count ? newest - index : undefined),
    indexOf: (arrival) => (arrival >= oldest && arrival <= newest ? newest - arrival : undefined),
    countAfter: (arrival) => Math.min(count, Math.max(0, newest - arrival)),
  }
}

/** Some rows: `arrivals` ascending, of which those before `oldest` are no longer kept. */
export function someRows(arrivals: readonly number[], oldest: number): RowList {
  const first = placeOf(arrivals, oldest)
  const end = arrivals.length
  return {
    count: end - first,
    arrivalAt: (index) =>
      index >= 0 && index < end - first ? arrivals[end - 1 - index] : undefined,
    indexOf: (arrival) => {
      const place = placeOf(arrivals, arrival)
      return place >= first && arrivals[place] === arrival ? end - 1 - place : undefined
    },
    countAfter: (arrival) => end - Math.max(first, placeOf(arrivals, arrival + 1)),
  }
}

/** The first place whose arrival is not before the one given. */
function placeOf(arrivals: readonly number[], arrival: number): number {
  let low = 0
  let high = arrivals.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((arrivals[middle] ?? 0) < arrival) low = middle + 1
    else high = middle
  }
  return low
}
