import type { Feed } from './feed.ts'
import type { FeedRow } from './feed-snapshot.ts'
import { followRows } from './row-changes.ts'

/** How many kept rows have each value, as a store in the manner of `Feed`. */
export interface ValueCounts {
  readonly subscribe: (listener: () => void) => () => void
  /** The same map until a count changed; values that no row has are left out. */
  readonly getSnapshot: () => ReadonlyMap<string, number>
}

/**
 * Counts the values of the rows of a feed (its tools, its projects, its tags): `valuesOf` says
 * which ones a row has. Each row is counted once when it comes, again when its facts do, and taken
 * off when it is dropped, so that a snapshot costs what changed and not what is kept.
 */
export function createValueCounts(
  feed: Feed,
  valuesOf: (row: FeedRow) => readonly string[],
): ValueCounts {
  const changesOf = followRows(feed)
  /** What each row was counted as: a dropped row can no longer be asked. */
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
