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
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useState,
} from 'react'
import { countText } from '../../protocol/count.ts'
import css from './facet-menu.module.css'

/** A facet of builds, and its values with how many builds each has. */
export interface FacetValues {
  readonly facet: string
  /** Its heading, where it is one of several. */
  readonly name?: string
  readonly values: readonly {
    readonly value: string
    readonly count: number
    readonly isChosen: boolean
  }[]
}

/** How many values a menu of one facet shows at most, and each facet of a menu of several. */
const longest = { alone: 40, together: 8 }

/** What a button opens: the values of one facet, or of several, with how many builds each has. */
export function FacetMenu({
  button,
  opened,
  typed = nothing,
  label,
  facets,
  note,
  onOpen,
  onChoose,
}: {
  button: ReactElement<ButtonProps & ComponentProps<'button'>>
  /** It opens each time that this grows. */
  opened: number
  /** Hands over what was typed before its field was there. */
  typed?: () => string
  label: string
  facets: readonly FacetValues[]
  /** Stands below the values. */
  note?: ReactNode
  onOpen?: () => void
  onChoose: (facet: string, value: string) => void
}): ReactElement {
  const menu = useCombobox({
    onDropdownOpen: () => onOpen?.(),
    onDropdownClose: () => {
      menu.resetSelectedOption()
      setTimeout(() => {
        // Unless a click has taken the focus elsewhere.
        if (document.activeElement === document.body) menu.targetRef.current?.focus()
      }, 0)
    },
  })
  // The menu's functions are new at each rendering, which must not open it again.
  const open = useEffectEvent(menu.openDropdown)
  useEffect(() => {
    open()
  }, [opened])
  return (
    <Combobox
      store={menu}
      position="bottom-start"
      width={280}
      shadow="sm"
      // Within the page for those who go from landmark to landmark.
      portalProps={{ target: '#main' }}
      onOptionSubmit={(chosen) => {
        const facet = facets.find((one) => chosen.startsWith(`${one.facet}:`))?.facet
        if (facet !== undefined) onChoose(facet, chosen.slice(facet.length + 1))
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
          <FacetOptions menu={menu} typed={typed} label={label} facets={facets} note={note} />
        )}
      </Combobox.Dropdown>
    </Combobox>
  )
}

const nothing = (): string => ''

function FacetOptions({
  menu,
  typed,
  label,
  facets,
  note,
}: {
  menu: ComboboxStore
  typed: () => string
  label: string
  facets: readonly FacetValues[]
  note: ReactNode
}): ReactElement {
  const [search, setSearch] = useState('')
  const listId = useId()
  const { searchRef, setListId, selectFirstOption, resetSelectedOption } = menu
  // What is seen takes keys: a key may come before effects that wait for the next frame, or their timers.
  useLayoutEffect(() => {
    setListId(listId)
    searchRef.current?.focus({ preventScroll: true })
  }, [listId, setListId, searchRef])
  useLayoutEffect(() => {
    // The options live in the document; what was found is there only now.
    if (search === '') resetSelectedOption()
    else selectFirstOption()
  }, [search, selectFirstOption, resetSelectedOption])
  const isAlone = facets.length === 1
  const limit = isAlone || search !== '' ? longest.alone : longest.together
  const found = facets
    .map(({ facet, name, values }) => ({
      facet,
      name,
      values: values.filter(({ value }) => value.toLowerCase().includes(search.toLowerCase())),
    }))
    .filter(({ values }) => values.length > 0)
  return (
    <>
      <Combobox.Search
        value={search}
        placeholder="Type to narrow"
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-label={label}
        onFocus={() => {
          setSearch(typed() + search)
        }}
        onChange={(event) => {
          setSearch(event.currentTarget.value)
        }}
      />
      <Combobox.Options id={listId} mah={320} style={{ overflowY: 'auto' }} aria-label={label}>
        {/* Where nothing was typed the note says why there is nothing, or not yet. */}
        {found.length === 0 && (search !== '' || note === undefined) && (
          <Combobox.Empty>No matches</Combobox.Empty>
        )}
        {found.map(({ facet, name, values }) => (
          <Combobox.Group key={facet} label={isAlone ? undefined : name}>
            {values.slice(0, limit).map(({ value, count, isChosen }) => (
              <Combobox.Option key={value} value={`${facet}:${value}`} active={isChosen}>
                <Group component="span" gap={8} align="stretch" wrap="nowrap">
                  <span className={css.check}>{isChosen ? '✓' : ''}</span>
                  <Text span inherit truncate flex={1}>
                    {value}
                  </Text>
                  <span className={css.count}>{countText(count)}</span>
                </Group>
              </Combobox.Option>
            ))}
            {values.length > limit && (
              <Text fz="xs" c="dimmed" px={12} py={4}>
                {`${countText(values.length - limit)} more: type to find`}
              </Text>
            )}
          </Combobox.Group>
        ))}
      </Combobox.Options>
      {note !== undefined && <Combobox.Footer fz="xs">{note}</Combobox.Footer>}
    </>
  )
}
