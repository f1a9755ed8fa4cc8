/** Rows in the order of the screen, newest first, named by their arrival (`FeedRow`). */
export interface RowList {
  readonly count: number
  readonly arrivalAt: (index: number) => number | undefined
  /** Where an arrival stands, undefined if it is not in the list. */
  readonly indexOf: (arrival: number) => number | undefined
  /** How many rows arrived after the one given. */
  readonly countAfter: (arrival: number) => number
}

/** The rows of a feed that keeps those from `oldest` on, at one moment. */
export function rowList({ newest, arrivals }: RowsAt, oldest: number): RowList {
  return arrivals === undefined ? allRows(oldest, newest) : someRows(arrivals, oldest)
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

/** Some rows: `arrivals` ascending; those before `oldest` have been dropped. */
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
export function placeOf(arrivals: readonly number[], arrival: number): number {
  let low = 0
  let high = arrivals.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((arrivals[middle] ?? 0) < arrival) low = middle + 1
    else high = middle
  }
  return low
}

/** The rows at one moment: all up to `newest`, or those of them that a filter lets through. */
export interface RowsAt {
  readonly newest: number
  /** Ascending; undefined when nothing is narrowed. */
  readonly arrivals: readonly number[] | undefined
  /** How many had been dropped by then because of the cap. */
  readonly dropped: number
}

/**
 * Why the list stands still, if it does. While it is held new builds are collected and counted but
 * not put in, so that nothing moves under the eyes of its reader.
 */
export interface Hold {
  readonly paused: boolean
  /** Scrolled away from the top. */
  readonly scrolled: boolean
  /** The arrival of the row that the keyboard is on, or that was opened. */
  readonly selected: number | undefined
  /** What the list shows while it is held; undefined when it follows. */
  readonly rows: RowsAt | undefined
  /** Since when it is held, epoch ms. */
  readonly since: number | undefined
}

/** What happens to a list; `now` are the rows at that moment and `at` its time, epoch ms. */
export type HoldAction =
  | { readonly type: 'pause'; readonly now: RowsAt; readonly at: number }
  | { readonly type: 'scroll'; readonly away: boolean; readonly now: RowsAt; readonly at: number }
  | { readonly type: 'select'; readonly arrival: number; readonly now: RowsAt; readonly at: number }
  | { readonly type: 'deselect' }
  /** Back to the newest, whatever the list was held for. */
  | { readonly type: 'resume' }
  /** The rows are narrowed otherwise: only a pause outlives that. */
  | { readonly type: 'narrow'; readonly now: RowsAt }

/** A list that follows. */
export const following: Hold = {
  paused: false,
  scrolled: false,
  selected: undefined,
  rows: undefined,
  since: undefined,
}

/** What becomes of a hold when something happens. */
export function holdReducer(hold: Hold, action: HoldAction): Hold {
  switch (action.type) {
    case 'pause':
      return held({ ...hold, paused: true }, action.now, action.at)
    case 'scroll':
      if (action.away === hold.scrolled) return hold
      return held({ ...hold, scrolled: action.away }, action.now, action.at)
    case 'select':
      return held({ ...hold, selected: action.arrival }, action.now, action.at)
    case 'deselect':
      return released({ ...hold, selected: undefined })
    case 'resume':
      return following
    case 'narrow':
      return narrowed(hold, action.now)
  }
}

function held(hold: Hold, now: RowsAt, at: number): Hold {
  const next = released(hold)
  if (next === following || next.rows !== undefined) return next
  return { ...next, rows: now, since: at }
}

function released(hold: Hold): Hold {
  return hold.paused || hold.scrolled || hold.selected !== undefined ? hold : following
}

function narrowed(hold: Hold, now: RowsAt): Hold {
  if (!hold.paused || hold.rows === undefined) return following
  const { newest, dropped } = hold.rows
  const arrivals = now.arrivals?.filter((arrival) => arrival <= newest)
  return { ...hold, scrolled: false, selected: undefined, rows: { newest, arrivals, dropped } }
}
