import { Button, Combobox, type ComboboxStore } from '@mantine/core'
import { type ReactElement, type ReactNode, useEffect, useId, useState } from 'react'
import { countText } from '../../../protocol/count.ts'
import type { FacetCount } from './facet-counts.ts'
import { type Facet, facets, type Filter } from './facets.ts'
import css from './filter-menu.module.css'

/** How many values a menu of one facet shows at most, and each facet of a menu of all. */
const longest = { alone: 40, together: 8 }

/**
 * A button that opens the values of one facet, or of several, with how many builds each has. The
 * counts are those of the moment of opening, so that nothing moves while one is chosen.
 */
export function FilterMenu({
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
  const label = shown.length === 1 ? `Filter by ${shown[0] ?? ''}` : 'Filter by anything'
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
        {found.length === 0 && <Combobox.Empty>No build has it</Combobox.Empty>}
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
