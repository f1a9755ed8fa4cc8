import type { ReactElement } from 'react'
import { Link, useSearchParams } from 'react-router'
import tabs from '../../ui/tabs.module.css'
import { FacetBar } from './facet-bar.tsx'
import { type BuildView, buildViews, insightAddress } from './insight-address.ts'
import css from './insight.module.css'
import type { SearchPage } from './use-search-page.ts'

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
          const to = insightAddress.write({ ...current, view, failure: undefined }, params)
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
