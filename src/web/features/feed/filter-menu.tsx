import type { ButtonProps } from '@mantine/core'
import { type ComponentProps, type ReactElement, useState } from 'react'
import { useServices } from '../../data/core/services.ts'
import { FacetMenu, type FacetValues } from '../../ui/facet-menu.tsx'
import { type Facet, facetCounts, facetNames, facets, type Filter, toggled } from './filter.ts'
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
      name: facetNames[facet],
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
