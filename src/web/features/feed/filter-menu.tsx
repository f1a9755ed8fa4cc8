import {
  type ButtonProps,
  Combobox,
  type ComboboxStore,
  Group,
  Text,
  useCombobox,
} from '@mantine/core'
import {
  cloneElement,
  type ComponentProps,
  type ReactElement,
  useEffect,
  useId,
  useState,
} from 'react'
import { countText } from '../../../protocol/count.ts'
import { useServices } from '../../data/core/services.ts'
import css from './feed.module.css'
import { type Facet, type FacetCount, facetCounts, facets, type Filter, toggled } from './filter.ts'
import type { Follow } from './use-follow.ts'

/** How many values a menu of one facet shows at most, and each facet of a menu of all. */
const longest = { alone: 40, together: 8 }

/**
 * What a button of the filter bar opens: the values of one facet, or of several, with how many builds
 * each has. The counts are those of the moment of opening, so that nothing moves while one is chosen.
 */
export function FilterMenu({
  button,
  opened,
  shown,
  filter,
  match,
  onChange,
}: {
  button: ReactElement<ButtonProps & ComponentProps<'button'>>
  /** It opens each time that this grows. */
  opened: number
  shown: readonly Facet[]
  filter: Filter
  /** How a row stands to the query that is followed, if one is. */
  match: Follow['match']
  onChange: (next: Filter) => void
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
  const { openDropdown } = menu
  useEffect(() => {
    openDropdown()
  }, [openDropdown, opened])
  const label = shown.length === 1 ? `Filter by ${shown[0] ?? ''}` : 'Add filter'
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
        if (facet !== undefined) onChange(toggled(filter, facet, chosen.slice(facet.length + 1)))
      }}
    >
      <Combobox.Target withAriaAttributes={false}>
        {cloneElement(button, {
          'aria-expanded': menu.dropdownOpened,
          onClick: () => {
            menu.toggleDropdown()
          },
        })}
      </Combobox.Target>
      <Combobox.Dropdown aria-label={label}>
        {menu.dropdownOpened && (
          <FilterOptions
            {...{ menu, label, shown, filter }}
            count={(facet) =>
              facetCounts(feed.getSnapshot(), filter, facet, (row) => match?.(row) !== 'no')
            }
          />
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
      <Combobox.Options id={listId} mah={320} style={{ overflowY: 'auto' }} aria-label={label}>
        {found.length === 0 && <Combobox.Empty>No builds have it</Combobox.Empty>}
        {found.map(({ facet, counts }) => (
          <Combobox.Group key={facet} label={shown.length === 1 ? undefined : facet}>
            {counts.slice(0, limit).map(({ value, count: builds }) => {
              const isChosen = filter[facet]?.includes(value) ?? false
              return (
                <Combobox.Option key={value} value={`${facet}:${value}`} active={isChosen}>
                  <Group component="span" gap={8} align="stretch" wrap="nowrap">
                    <span className={css.check}>{isChosen ? '✓' : ''}</span>
                    <span className={css.value}>{value}</span>
                    <span className={css.count}>{countText(builds)}</span>
                  </Group>
                </Combobox.Option>
              )
            })}
            {counts.length > limit && (
              <Text fz="xs" c="dimmed" px={12} py={4}>
                {`${countText(counts.length - limit)} more: type to find`}
              </Text>
            )}
          </Combobox.Group>
        ))}
      </Combobox.Options>
    </>
  )
}
