import type { RowsAt } from './hold.ts'

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
