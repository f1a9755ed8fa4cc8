import type { FeedRow } from '../../data/live/feed-state.ts'

/** By what the feed can be narrowed quickly, in the order and by the names that Builds has. */
export const facets = ['project', 'user', 'tool', 'outcome', 'tag'] as const
export type Facet = (typeof facets)[number]

/** A facet as a heading: "Tool". */
export function facetName(facet: Facet): string {
  return facet.charAt(0).toUpperCase() + facet.slice(1)
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

/** Longer values do not fit into the address, which is a URL of 8 KiB at most. */
export const longestValue = 1000

function listOf(value: string | null | undefined): readonly string[] {
  return value === null || value === undefined ? [] : [value]
}
