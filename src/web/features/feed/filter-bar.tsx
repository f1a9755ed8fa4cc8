import { Button, useCombobox } from '@mantine/core'
import type { ReactElement, ReactNode } from 'react'
import { useFeed } from '../../data/live/use-feed.ts'
import { KeyHint, useKeys } from '../../ui/keys.tsx'
import { facetCounts } from './facet-counts.ts'
import { type Facet, facets, type Filter, isNarrowed, toggled } from './facets.ts'
import { FilterMenu } from './filter-menu.tsx'
import css from './filter-bar.module.css'

/** By what the feed is narrowed: a menu for anything, one per facet, and the way back. */
export function FilterBar({
  filter,
  onChange,
}: {
  filter: Filter
  onChange: (next: Filter) => void
}): ReactElement {
  return (
    <div className={css.bar} role="group" aria-label="Filters">
      <Menu shown={facets} filter={filter} onChange={onChange} hotkey="/">
        <span className={css.any}>Filter</span>
        <KeyHint keys="/" />
      </Menu>
      {facets.map((facet) => (
        <Menu key={facet} shown={[facet]} filter={filter} onChange={onChange}>
          {chipText(facet, filter[facet])}
          <span className={css.caret} aria-hidden="true" />
        </Menu>
      ))}
      {isNarrowed(filter) && (
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() => {
            onChange({})
          }}
        >
          Clear filter
        </Button>
      )}
    </div>
  )
}

function Menu({
  shown,
  filter,
  onChange,
  hotkey,
  children,
}: {
  shown: readonly Facet[]
  filter: Filter
  onChange: (next: Filter) => void
  hotkey?: string
  children: ReactNode
}): ReactElement {
  const feed = useFeed()
  const menu = useCombobox({
    onDropdownOpen: () => {
      menu.focusSearchInput()
    },
    onDropdownClose: () => {
      menu.resetSelectedOption()
      setTimeout(() => {
        // Unless a click has taken the focus elsewhere.
        if (document.activeElement === document.body) menu.targetRef.current?.focus()
      }, 0)
    },
  })
  useKeys(
    'Live feed',
    hotkey === undefined
      ? []
      : [
          {
            keys: [hotkey],
            label: 'Filter',
            run: () => {
              menu.openDropdown()
            },
          },
        ],
  )
  return (
    <FilterMenu
      menu={menu}
      shown={shown}
      filter={filter}
      count={(facet) => facetCounts(feed.getSnapshot(), filter, facet)}
      toggle={(facet, value) => {
        onChange(toggled(filter, facet, value))
      }}
    >
      {children}
    </FilterMenu>
  )
}

/** "tool", "tool: gradle", "tool: gradle and 2 more". */
function chipText(facet: Facet, values: readonly string[] | undefined): string {
  if (values === undefined) return facet
  const more = values.length > 1 ? ` and ${values.length - 1} more` : ''
  return `${facet}: ${values[0] ?? ''}${more}`
}
