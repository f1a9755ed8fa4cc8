import { useCallback, useMemo, useReducer, useState, useSyncExternalStore } from 'react'
import { createFeedFilter } from '../../data/live/feed-filter.ts'
import type { FeedView } from '../../data/live/feed-state.ts'
import { useTicker } from '../../ui/time.tsx'
import { type Filter, isNarrowed, predicateOf, undecidedBy } from './filter.ts'
import { createFollowedRows, type FollowedCounts } from './followed-rows.ts'
import {
  following,
  type Hold,
  holdReducer,
  type RowList,
  rowList,
  type RowsAt,
} from './row-list.ts'
import { createShownCounts, type ShownCounts } from './shown-counts.ts'
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
  /** Of the query that is followed; undefined where none is. */
  readonly counts: (() => FollowedCounts) | undefined
  /** Builds that the filter keeps back only because their details aren't known. */
  readonly undecided: number
  /** The rows as they are now, also while the list is held; the same function while they are narrowed alike. */
  readonly live: () => RowList
  /** Counts of those rows. */
  readonly shown: ShownCounts
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
  const { feed } = useServices()
  const view = useStore(feed)
  const { readNow, counts, undecided, shown } = useRowsAt(filter, follow.match)
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

  const readLive = useCallback(() => rowList(readNow(), feed.getSnapshot().oldest), [readNow, feed])
  const live = rowList(now, view.oldest)
  const { rows } = hold
  return {
    view,
    rows: rows === undefined ? live : rowList(rows, view.oldest),
    hold,
    waiting: rows === undefined ? 0 : live.countAfter(rows.newest),
    lost: rows === undefined ? 0 : view.dropped - rows.dropped,
    counts,
    undecided,
    live: readLive,
    shown,
    commands,
  }
}

/** How to read the rows as they are now; renders again when they change. */
function useRowsAt(
  filter: Filter,
  match: Follow['match'],
): Pick<FeedList, 'counts' | 'undecided' | 'shown'> & { readonly readNow: () => RowsAt } {
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
  const kept = useMemo(
    () => (isNarrowed(filter) ? createFeedFilter(feed, undecidedBy(filter)) : undefined),
    [feed, filter],
  )
  const narrowed = followed ?? filtered
  useSyncExternalStore(feed.subscribe, () => narrowed?.getSnapshot())
  const undecided = useSyncExternalStore(
    feed.subscribe,
    () => kept?.getSnapshot().arrivals.length ?? 0,
  )
  const readNow = useCallback(() => {
    const { newest, dropped } = feed.getSnapshot()
    return { newest, dropped, arrivals: narrowed?.getSnapshot().arrivals }
  }, [feed, narrowed])
  const shown = useMemo(
    () => createShownCounts(feed, narrowed && (() => narrowed.getSnapshot().arrivals)),
    [feed, narrowed],
  )
  return { readNow, counts: followed?.counts, undecided, shown }
}
