import type { FeedSnapshot } from '../../data/live/feed-snapshot.ts'
import { type Facet, facetValues, type Filter, predicateOf, without } from './facets.ts'

/** A value of a facet and how many builds have it. */
export interface FacetCount {
  readonly value: string
  readonly count: number
}

/**
 * How many of the kept builds each value of a facet would let through, given the other facets of
 * the filter: most first, then by name. Values that are chosen are listed even when none has them.
 */
export function facetCounts(
  feed: Pick<FeedSnapshot, 'oldest' | 'newest' | 'row'>,
  filter: Filter,
  facet: Facet,
): readonly FacetCount[] {
  const isLetThrough = predicateOf(without(filter, facet))
  const counts = new Map((filter[facet] ?? []).map((value) => [value, 0]))
  for (let arrival = feed.oldest; arrival <= feed.newest; arrival++) {
    const row = feed.row(arrival)
    if (row === undefined || !isLetThrough(row)) continue
    for (const value of facetValues(row, facet)) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}
