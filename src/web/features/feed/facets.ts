import type { FeedRow } from '../../data/live/feed-snapshot.ts'

/** By what the feed can be narrowed quickly. */
export const facets = ['tool', 'outcome', 'project', 'user', 'tag'] as const
export type Facet = (typeof facets)[number]

/** The values that are let through, by facet: any of them within one, all facets together. */
export type Filter = Readonly<Partial<Record<Facet, readonly string[]>>>

/** What a build counts as; unknown until its facts have arrived, or where they say nothing. */
export type Outcome = 'succeeded' | 'failed' | 'unknown'

/** The outcome of a row. */
export function outcomeOf({ facts }: FeedRow): Outcome {
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

function listOf(value: string | null | undefined): readonly string[] {
  return value === null || value === undefined ? [] : [value]
}
