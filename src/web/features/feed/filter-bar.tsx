import { Button, Combobox, type ComboboxStore, useCombobox } from '@mantine/core'
import { type ReactElement, type ReactNode, useEffect, useId, useState } from 'react'
import { countText } from '../../../protocol/count.ts'
import { KeyHint, useKeys } from '../../ui/keys.tsx'
import css from './feed.module.css'
import {
  type Facet,
  type FacetCount,
  facetCounts,
  facets,
  type Filter,
  isNarrowed,
  toggled,
} from './filter.ts'
import type { Follow } from './use-follow.ts'
import { useServices } from '../../data/core/services.ts'

/** By what the feed is narrowed: a menu for anything, one per facet, and the way back. */
export function FilterBar({
  filter,
  match,
  onChange,
}: {
  filter: Filter
  /** How a row stands to the query that is followed, if one is. */
  match: Follow['match']
  onChange: (next: Filter) => void
}): ReactElement {
  return (
    <div className={css.bar} role="group" aria-label="Filters">
      <Menu shown={facets} {...{ filter, match, onChange }} hotkey="/">
        <span className={css.any}>Filter</span>
        <KeyHint keys="/" />
      </Menu>
      {facets.map((facet) => (
        <Menu key={facet} shown={[facet]} {...{ filter, match, onChange }}>
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
  match,
  onChange,
  hotkey,
  children,
}: {
  shown: readonly Facet[]
  filter: Filter
  match: Follow['match']
  onChange: (next: Filter) => void
  hotkey?: string
  children: ReactNode
}): ReactElement {
  const { feed } = useServices()
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
      count={(facet) =>
        facetCounts(feed.getSnapshot(), filter, facet, (row) => match?.(row) !== 'no')
      }
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

/** How many values a menu of one facet shows at most, and each facet of a menu of all. */
const longest = { alone: 40, together: 8 }

/**
 * A button that opens the values of one facet, or of several, with how many builds each has. The
 * counts are those of the moment of opening, so that nothing moves while one is chosen.
 */
function FilterMenu({
  menu,
  shown,
  filter,
  count,
  toggle,
  children,
}: {
  /** Made by useCombobox; its opening and closing is the caller's. */
  menu: ComboboxStore
  shown: readonly Facet[]
  filter: Filter
  count: (facet: Facet) => readonly FacetCount[]
  toggle: (facet: Facet, value: string) => void
  /** What stands on the button. */
  children: ReactNode
}): ReactElement {
  const label = shown.length === 1 ? `Filter by ${shown[0] ?? ''}` : 'Add filter'
  const isActive = shown.length === 1 && shown.some((facet) => filter[facet] !== undefined)
  return (
    <Combobox
      store={menu}
      position="bottom-start"
      width={280}
      shadow="sm"
      // Within the page for those who go from landmark to landmark.
      portalProps={{ target: '#main' }}
      onOptionSubmit={(chosen) => {
        const facet = facets.find((name) => chosen.startsWith(`${name}:`))
        if (facet !== undefined) toggle(facet, chosen.slice(facet.length + 1))
      }}
    >
      <Combobox.Target withAriaAttributes={false}>
        <Button
          className={css.button}
          variant={isActive ? 'light' : 'default'}
          size="xs"
          aria-haspopup="listbox"
          aria-expanded={menu.dropdownOpened}
          onClick={() => {
            menu.toggleDropdown()
          }}
        >
          {children}
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown aria-label={label}>
        {menu.dropdownOpened && (
          <FilterOptions menu={menu} label={label} {...{ shown, filter, count }} />
        )}
      </Combobox.Dropdown>
    </Combobox>
  )
}

function FilterOptions({
  menu,
  label,
  shown,
  filter,
  count,
}: {
  menu: ComboboxStore
  label: string
  shown: readonly Facet[]
  filter: Filter
  count: (facet: Facet) => readonly FacetCount[]
}): ReactElement {
  const [search, setSearch] = useState('')
  const listId = useId()
  const { selectFirstOption, resetSelectedOption } = menu
  useEffect(() => {
    // The options live in the document; what was found is there only now.
    if (search === '') resetSelectedOption()
    else selectFirstOption()
  }, [search, selectFirstOption, resetSelectedOption])
  const [groups] = useState(() => shown.map((facet) => ({ facet, counts: count(facet) })))
  const limit = shown.length === 1 || search !== '' ? longest.alone : longest.together
  const found = groups
    .map(({ facet, counts }) => ({
      facet,
      counts: counts.filter(({ value }) => value.toLowerCase().includes(search.toLowerCase())),
    }))
    .filter(({ counts }) => counts.length > 0)
  return (
    <>
      <Combobox.Search
        value={search}
        placeholder="Type to narrow"
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-label={label}
        onChange={(event) => {
          setSearch(event.currentTarget.value)
        }}
      />
      <Combobox.Options id={listId} mah={320} className={css.options} aria-label={label}>
        {found.length === 0 && <Combobox.Empty>No builds have it</Combobox.Empty>}
        {found.map(({ facet, counts }) => (
          <Combobox.Group key={facet} label={shown.length === 1 ? undefined : facet}>
            {counts.slice(0, limit).map(({ value, count: builds }) => {
              const isChosen = filter[facet]?.includes(value) ?? false
              return (
                <Combobox.Option key={value} value={`${facet}:${value}`} active={isChosen}>
                  <span className={css.option}>
                    <span className={css.check}>{isChosen ? '✓' : ''}</span>
                    <span className={css.value}>{value}</span>
                    <span className={css.count}>{countText(builds)}</span>
                  </span>
                </Combobox.Option>
              )
            })}
            {counts.length > limit && (
              <p className={css.more}>{`${countText(counts.length - limit)} more: type to find`}</p>
            )}
          </Combobox.Group>
        ))}
      </Combobox.Options>
    </>
  )
}
