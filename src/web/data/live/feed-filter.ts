import type { Feed } from './feed.ts'
import type { FeedRow } from './feed-snapshot.ts'
import { followRows, type RowChanges } from './row-changes.ts'

/** The rows of the feed that a predicate lets through. */
export interface FilteredRows {
  /** Arrival numbers, ascending; all of them are kept by the feed. */
  readonly arrivals: readonly number[]
  /** Counts up whenever `arrivals` or a row among them changed. */
  readonly version: number
}

/** A narrowed feed, as a store in the manner of `Feed`. */
export interface FeedFilter {
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => FilteredRows
}

/**
 * Narrows a feed to the rows that `predicate` lets through. Only what changed is looked at again:
 * new rows, and rows whose facts came. All kept rows are read once, at the first snapshot.
 */
export function createFeedFilter(feed: Feed, predicate: (row: FeedRow) => boolean): FeedFilter {
  const changesOf = followRows(feed)
  let filtered: FilteredRows = { arrivals: [], version: 0 }

  function update({ view, anew, changed, firstNew }: RowChanges): FilteredRows {
    const isIn = (arrival: number): boolean => {
      const row = view.row(arrival)
      return row !== undefined && predicate(row)
    }
    const before = anew ? [] : filtered.arrivals
    const kept = before.slice(firstFrom(before, view.oldest))
    const touched = changed.map((arrival) => ({
      arrival,
      was: kept[firstFrom(kept, arrival)] === arrival,
      is: isIn(arrival),
    }))
    const arrivals = touched.some(({ was, is }) => was !== is) ? regroup(kept, touched) : kept
    const old = arrivals.length
    for (let arrival = Math.max(firstNew, view.oldest); arrival <= view.newest; arrival++) {
      if (isIn(arrival)) arrivals.push(arrival)
    }
    const moved =
      anew ||
      kept.length < before.length ||
      arrivals.length > old ||
      touched.some(({ was, is }) => was || is)
    return moved ? { arrivals, version: filtered.version + 1 } : filtered
  }

  return {
    subscribe: feed.subscribe,
    getSnapshot: () => {
      const changes = changesOf()
      if (changes !== undefined) filtered = update(changes)
      return filtered
    },
  }
}

interface Touched {
  readonly arrival: number
  readonly was: boolean
  readonly is: boolean
}

/** Merged in one pass: facts come by the hundred, and inserting one at a time moves all behind it. */
function regroup(kept: readonly number[], touched: readonly Touched[]): number[] {
  const out = new Set(touched.filter(({ was, is }) => was && !is).map(({ arrival }) => arrival))
  const added = touched.filter(({ was, is }) => !was && is).map(({ arrival }) => arrival)
  added.sort((a, b) => a - b)
  const merged: number[] = []
  let next = 0
  for (const arrival of kept) {
    for (let add = added[next]; add !== undefined && add < arrival; add = added[next]) {
      merged.push(add)
      next += 1
    }
    if (!out.has(arrival)) merged.push(arrival)
  }
  return [...merged, ...added.slice(next)]
}

/** The index of the first number that is at least `least`, in an ascending list. */
function firstFrom(numbers: readonly number[], least: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? Infinity) < least) low = middle + 1
    else high = middle
  }
  return low
}
