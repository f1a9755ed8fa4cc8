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
