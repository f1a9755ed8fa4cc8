import type { FeedRow, FeedSnapshot } from '../../data/live/feed-state.ts'

/** By what the feed can be narrowed quickly, in the order and by the names that Builds has. */
export const facets = ['project', 'user', 'tool', 'outcome', 'tag'] as const
export type Facet = (typeof facets)[number]

export const facetNames: Readonly<Record<Facet, string>> = {
  project: 'Project',
  user: 'User',
  tool: 'Tool',
  outcome: 'Outcome',
  tag: 'Tag',
}

/** The values that are let through, by facet: any of them within one, all facets together. */
export type Filter = Readonly<Partial<Record<Facet, readonly string[]>>>

/** The outcome of a row; unknown until its facts have arrived, or where they have none. */
export function outcomeOf({ facts }: FeedRow): 'succeeded' | 'failed' | 'unknown' {
  return facts?.outcome ?? 'unknown'
}

/** The values that a row has in a facet: none while they are not known, several only for tags. */
export function facetValues(row: FeedRow, facet: Facet): readonly string[] {
  const { build, facts } = row
  switch (facet) {
    case 'tool':
      return [build.toolType]
    case 'outcome':
      return [outcomeOf(row)]
    case 'project':
      return listOf(facts?.project)
    case 'user':
      return listOf(facts?.user)
    case 'tag':
      return facts?.tags ?? []
  }
}

/** Whether anything is narrowed at all. */
export function isNarrowed(filter: Filter): boolean {
  return facets.some((facet) => filter[facet] !== undefined)
}

/** A test of rows; a row whose facts are on their way fails a facet that needs them. */
export function predicateOf(filter: Filter): (row: FeedRow) => boolean {
  const wanted = facets.flatMap((facet) => {
    const values = filter[facet]
    return values === undefined ? [] : [{ facet, values: new Set(values) }]
  })
  return (row) =>
    wanted.every(({ facet, values }) => facetValues(row, facet).some((value) => values.has(value)))
}

/** A test of rows that are kept back only because their facts aren't known. */
export function undecidedBy(filter: Filter): (row: FeedRow) => boolean {
  const isLetThrough = predicateOf(filter)
  const mayBe = predicateOf(filter.tool === undefined ? {} : { tool: filter.tool })
  return (row) => row.facts === undefined && mayBe(row) && !isLetThrough(row)
}

/** The filter with a value let through, or no more. A facet without values is open. */
export function toggled(filter: Filter, facet: Facet, value: string): Filter {
  const values = filter[facet] ?? []
  const next = values.includes(value)
    ? values.filter((other) => other !== value)
    : [...values, value]
  return { ...without(filter, facet), ...(next.length === 0 ? {} : { [facet]: next }) }
}

/** The filter with one facet open again. */
export function without(filter: Filter, facet: Facet): Filter {
  const { [facet]: _removed, ...rest } = filter
  return rest
}

/** Longer values do not fit into the address, which is a URL of 8 KiB at most. */
export const longestValue = 1000

function listOf(value: string | null | undefined): readonly string[] {
  return value === null || value === undefined ? [] : [value]
}

/** A value of a facet and how many builds have it. */
export interface FacetCount {
  readonly value: string
  readonly count: number
}

/**
 * How many of the kept builds each value of a facet would let through, given the other facets of
 * the filter and what the followed query lets through (`mayMatch`): most first, then by name. Values
 * that are selected are listed even when none has them, as is every outcome that may come yet; those
 * too long for a URL are not.
 */
export function facetCounts(
  feed: Pick<FeedSnapshot, 'oldest' | 'newest' | 'row'>,
  filter: Filter,
  facet: Facet,
  mayMatch: (row: FeedRow) => boolean = () => true,
): readonly FacetCount[] {
  const isLetThrough = predicateOf(without(filter, facet))
  const mayCome = facet === 'outcome' ? ['failed', 'succeeded'] : []
  const counts = new Map([...mayCome, ...(filter[facet] ?? [])].map((value) => [value, 0]))
  for (let arrival = feed.oldest; arrival <= feed.newest; arrival++) {
    const row = feed.row(arrival)
    if (row === undefined || !isLetThrough(row) || !mayMatch(row)) continue
    for (const value of facetValues(row, facet)) {
      if (value.length <= longestValue) counts.set(value, (counts.get(value) ?? 0) + 1)
    }
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}
