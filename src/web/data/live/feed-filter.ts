import type { Facts } from '../../../protocol/facts.ts'
import type { Readable } from '../core/store.ts'
import type { Feed, FeedRow, FeedView } from './feed-state.ts'

export interface FilteredRows {
  /** Arrival numbers, ascending; all of them are kept by the feed. */
  readonly arrivals: readonly number[]
  /** Counts up whenever `arrivals` or a row among them changed. */
  readonly version: number
}

/** A narrowed feed. */
export type FeedFilter = Readable<FilteredRows>

/** Narrows a feed by `predicate`. All rows are read at the first snapshot, then only those that changed. */
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

/** Merged in one pass: facts come by the hundred, and inserting one at a time moves all behind it. */
function regroup(
  kept: readonly number[],
  touched: readonly { readonly arrival: number; readonly was: boolean; readonly is: boolean }[],
): number[] {
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

/**
 * Counts the values of the rows of a feed (its tools, its projects, its tags): `valuesOf` gives
 * those of a row. Each row is counted once when it comes, again when its facts do, and taken
 * off when it is dropped, so that a snapshot costs what changed and not what is kept. Values that no row has are left out.
 */
export function createValueCounts(
  feed: Feed,
  valuesOf: (row: FeedRow) => readonly string[],
): Readable<ReadonlyMap<string, number>> {
  const changesOf = followRows(feed)
  /** What each row was counted as: a dropped row can no longer be read. */
  let counted = new Map<number, readonly string[]>()
  let counts: ReadonlyMap<string, number> = new Map()

  function update(): void {
    const changes = changesOf()
    if (changes === undefined) return
    const { view } = changes
    const next = new Map(changes.anew ? [] : counts)
    if (changes.anew) counted = new Map()
    const uncount = (arrival: number): void => {
      for (const value of counted.get(arrival) ?? []) bump(next, value, -1)
    }
    const count = (arrival: number): void => {
      const row = view.row(arrival)
      if (row === undefined) return
      const values = valuesOf(row)
      counted.set(arrival, values)
      for (const value of values) bump(next, value, 1)
    }
    for (const arrival of counted.keys()) {
      // A Map keeps the order of insertion, and rows are inserted as they arrive.
      if (arrival >= view.oldest) break
      uncount(arrival)
      counted.delete(arrival)
    }
    for (const arrival of changes.changed) {
      uncount(arrival)
      count(arrival)
    }
    for (let arrival = Math.max(changes.firstNew, view.oldest); arrival <= view.newest; arrival++) {
      count(arrival)
    }
    counts = next
  }

  return {
    subscribe: feed.subscribe,
    getSnapshot: () => {
      update()
      return counts
    },
  }
}

function bump(counts: Map<string, number>, value: string, by: number): void {
  const count = (counts.get(value) ?? 0) + by
  if (count === 0) counts.delete(value)
  else counts.set(value, count)
}

/** Looks builds up in what the live feed keeps; read again only when the feed has moved on. */
export function createFeedFacts(feed: Feed): (buildId: string) => Facts | undefined {
  let known = new Map<string, Facts>()
  let version: number | undefined
  return (buildId) => {
    const view = feed.getSnapshot()
    if (view.version !== version) {
      version = view.version
      known = new Map()
      for (let arrival = view.oldest; arrival <= view.newest; arrival++) {
        const row = view.row(arrival)
        if (row?.facts !== undefined) known.set(row.build.buildId, row.facts)
      }
    }
    return known.get(buildId)
  }
}

/** What became of the rows of a feed since they were last looked at. */
interface RowChanges {
  readonly view: FeedView
  /** Too much was missed: all has to be read anew, and the rest is empty. */
  readonly anew: boolean
  /** Arrivals seen before whose facts came since. */
  readonly changed: readonly number[]
  /** Arrivals from here to `view.newest` are new. */
  readonly firstNew: number
}

/** Follows the rows of a feed: what changed since the call before, undefined for nothing; at first all is read. */
export function followRows(feed: Feed): () => RowChanges | undefined {
  let seen: FeedView | undefined
  return () => {
    const view = feed.getSnapshot()
    const last = seen
    seen = view
    if (last === undefined || view.version > last.version + 1) {
      return { view, anew: true, changed: [], firstNew: view.oldest }
    }
    if (view.version === last.version) return undefined
    return { view, anew: false, changed: view.changed, firstNew: last.newest + 1 }
  }
}
