import { type ReactElement, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { Button } from '@mantine/core'
import tabs from '../../ui/tabs.module.css'
import { type BuildView, buildViews, insightAddress } from './search-address.ts'
import css from './insight.module.css'
import type { SearchPage } from './use-search-page.ts'
import type { BuildGrouping } from '../../../protocol/insight.ts'
import { FoldedFilters } from '../../ui/folded-filters.tsx'
import { lazyPopup } from '../../ui/lazy-part.tsx'
import { MenuCaret } from '../../ui/menu-caret.tsx'
import { groupingNames } from './group-term.ts'

const names: Readonly<Record<BuildView, string>> = {
  list: 'List',
  groups: 'Groups',
  trends: 'Trends',
}

/** The views of the builds of a query, as links, and what the query can be narrowed by. */
export function ViewBar({ page }: { page: SearchPage }): ReactElement {
  const [params] = useSearchParams()
  const current = insightAddress.read(params)
  return (
    <div className={css.bar}>
      <nav aria-label="View" className={tabs.tabs}>
        {buildViews.map((view) => {
          const to = insightAddress.write(
            { ...current, view, failure: undefined, build: undefined },
            params,
          )
          return (
            <Link
              key={view}
              to={`?${to.toString()}`}
              aria-current={view === current.view ? 'page' : undefined}
            >
              {names[view]}
            </Link>
          )
        })}
      </nav>
      <FacetBar page={page} />
    </div>
  )
}

const loadCounts = async () => (await import('./facet-counts.tsx')).FacetCounts
const FacetCounts = lazyPopup(loadCounts)

/** Failures have a view of their own: the query language knows no messages. */
const facets: readonly Exclude<BuildGrouping, 'failure'>[] = [
  'project',
  'branch',
  'user',
  'tool',
  'outcome',
  'requested',
]

/** What the builds of the query have in common, with counts; a choice narrows the query. */
function FacetBar({ page }: { page: SearchPage }): ReactElement {
  return (
    <FoldedFilters label="Filters" className={css.facets}>
      {facets.map((facet) => (
        <Facet key={facet} facet={facet} page={page} />
      ))}
    </FoldedFilters>
  )
}

function Facet({
  facet,
  page,
}: {
  facet: (typeof facets)[number]
  page: SearchPage
}): ReactElement {
  const [opened, setOpened] = useState(0)
  // Whether it can be loaded shows when it is opened.
  const prepare = (): void => void loadCounts().catch(() => undefined)
  const trigger = (
    <Button
      size="compact-sm"
      variant="default"
      aria-haspopup="listbox"
      aria-expanded={false}
      disabled={page.isFaulty}
      onPointerEnter={prepare}
      onFocus={prepare}
      onClick={() => {
        setOpened((before) => before + 1)
      }}
    >
      {groupingNames[facet]}
      <MenuCaret />
    </Button>
  )
  if (opened === 0) return trigger
  return <FacetCounts {...{ trigger, opened, facet, page }} />
}
