import { useCallback, useMemo, useReducer, useState, useSyncExternalStore } from 'react'
import { createFeedFilter } from '../../data/feed-filter.ts'
import type { FeedView } from '../../data/feed.ts'
import { useFeed, useFeedSnapshot } from '../../data/use-feed.ts'
import { useTicker } from '../../ui/ticker.ts'
import { type Filter, isNarrowed, predicateOf } from './facets.ts'
import { following, type Hold, holdReducer, type RowsAt } from './hold.ts'
import { allRows, type RowList, someRows } from './row-list.ts'

/** What the screen lists at this moment, and why it stands still if it does. */
export interface FeedList {
  readonly view: FeedView
  readonly rows: RowList
  readonly hold: Hold
  /** Builds that came since the list is held and that the filter lets through. */
  readonly waiting: number
  /** Builds that the cap dropped since then. */
  readonly lost: number
  readonly commands: FeedListCommands
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

/** Joins the feed, its filter, and what the reader holds. */
export function useFeedList(filter: Filter): FeedList {
  const view = useFeedSnapshot()
  const readNow = useRowsAt(filter)
  const now = readNow()
  const [hold, dispatch] = useReducer(holdReducer, following)

  const [heldFor, setHeldFor] = useState(filter)
  if (heldFor !== filter) {
    setHeldFor(filter)
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
    commands,
  }
}

function rowList({ newest, arrivals }: RowsAt, oldest: number): RowList {
  return arrivals === undefined ? allRows(oldest, newest) : someRows(arrivals, oldest)
}

/** Reads the rows as they are now; renders again when they change. */
function useRowsAt(filter: Filter): () => RowsAt {
  const feed = useFeed()
  const narrowed = useMemo(
    () => (isNarrowed(filter) ? createFeedFilter(feed, predicateOf(filter)) : undefined),
    [feed, filter],
  )
  useSyncExternalStore(feed.subscribe, () => narrowed?.getSnapshot())
  return useCallback(() => {
    const { newest, dropped } = feed.getSnapshot()
    return { newest, dropped, arrivals: narrowed?.getSnapshot().arrivals }
  }, [feed, narrowed])
}
