import type { ButtonProps } from '@mantine/core'
import { type ComponentProps, type ReactElement, useState } from 'react'
import { useServices } from '../../data/core/services.ts'
import type { FeedRow, FeedSnapshot } from '../../data/live/feed-state.ts'
import { FacetMenu, type FacetValues } from '../../ui/facet-menu.tsx'
import {
  type Facet,
  facetName,
  facets,
  facetValues,
  type Filter,
  longestValue,
  predicateOf,
} from './filter.ts'
import type { Follow } from './use-follow.ts'

/**
 * What a button of the filter bar opens: the values of one facet, or of several, with how many builds
 * each has. The counts are those of the moment of opening, so that nothing moves while one is chosen.
 */
export function FilterMenu({
  trigger,
  opened,
  typed,
  shown,
  filter,
  match,
  onChange,
}: {
  trigger: ReactElement<ButtonProps & ComponentProps<'button'>>
  /** It opens each time that this grows. */
  opened: number
  /** Hands over what was typed before its field was there. */
  typed: () => string
  shown: readonly Facet[]
  filter: Filter
  /** How a row stands to the query that is followed, if one is. */
  match: Follow['match']
  onChange: (next: Filter) => void
}): ReactElement {
  const { feed } = useServices()
  const read = (): readonly FacetValues[] =>
    shown.map((facet) => ({
      facet,
      name: facetName(facet),
      values: facetCounts(feed.getSnapshot(), filter, facet, (row) => match?.(row) !== 'no').map(
        ({ value, count }) => ({ value, count, isChosen: false }),
      ),
    }))
  const [counted, setCounted] = useState(read)
  const withChoice = counted.map((one) => {
    const facet = facets.find((name) => name === one.facet)
    const chosen = facet && filter[facet]
    const values = one.values.map((of) => ({
      ...of,
      isChosen: chosen?.includes(of.value) === true,
    }))
    return { ...one, values }
  })
  return (
    <FacetMenu
      button={trigger}
      opened={opened}
      typed={typed}
      label={shown.length === 1 ? `Filter by ${shown[0] ?? ''}` : 'Add filter'}
      facets={withChoice}
      onOpen={() => {
        setCounted(read())
      }}
      onChoose={(facet, value) => {
        const known = facets.find((name) => name === facet)
        if (known !== undefined) onChange(toggled(filter, known, value))
      }}
    />
  )
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

/** A value of a facet and how many builds have it. */
interface FacetCount {
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
