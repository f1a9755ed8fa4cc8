import { Button } from '@mantine/core'
import { type ReactElement, type ReactNode, useState } from 'react'
import { toolName } from '../../../protocol/build-tool.ts'
import { lazyPopup } from '../../ui/lazy-part.tsx'
import { MenuCaret } from '../../ui/menu-caret.tsx'
import { KeyHint, typeAhead, useKeys } from '../../ui/keys.tsx'
import css from './feed.module.css'
import { type Facet, facetName, facets, type Filter, isNarrowed } from './filter.ts'
import type { Follow } from './use-follow.ts'

const loadMenu = async () => (await import('./filter-menu.tsx')).FilterMenu
const FilterMenu = lazyPopup(loadMenu)

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
        Filter&ensp;
        <KeyHint keys="/" />
      </Menu>
      {facets.map((facet) => (
        <Menu key={facet} shown={[facet]} {...{ filter, match, onChange }}>
          {chipText(facet, filter[facet])}
          <MenuCaret />
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
          Clear filters
        </Button>
      )}
    </div>
  )
}

/** A button that opens its menu, whose code is loaded when a pointer or the focus comes near. */
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
  /** How often it was opened by the key or before its code was there, and what was typed since then. */
  const [{ opened, typed }, setOpened] = useState<{ opened: number; typed: () => string }>({
    opened: 0,
    typed: () => '',
  })
  const open = (): void => {
    const ahead = typeAhead()
    setOpened((before) => ({ opened: before.opened + 1, typed: ahead }))
  }
  // Whether it can be loaded shows when it is opened.
  const prepare = (): void => void loadMenu().catch(() => undefined)
  useKeys('Live feed', hotkey === undefined ? [] : [{ keys: [hotkey], label: 'Filter', run: open }])
  const isActive = shown.length === 1 && shown.some((facet) => filter[facet] !== undefined)
  const trigger = (
    <Button
      variant={isActive ? 'light' : 'default'}
      data-facet={shown.length === 1 && !isActive ? true : undefined}
      aria-haspopup="listbox"
      aria-expanded={false}
      onPointerEnter={prepare}
      onFocus={prepare}
      onClick={open}
    >
      {children}
    </Button>
  )
  if (opened === 0) return trigger
  return <FilterMenu {...{ trigger, opened, typed, shown, filter, match, onChange }} />
}

/** "Tool", "Tool: Gradle", "Tool: Gradle and 2 more". */
function chipText(facet: Facet, values: readonly string[] | undefined): string {
  if (values === undefined) return facetName(facet)
  const [first = ''] = values
  const more = values.length > 1 ? ` and ${values.length - 1} more` : ''
  return `${facetName(facet)}: ${facet === 'tool' ? toolName(first) : first}${more}`
}
