import type { ReactElement } from 'react'
import { GroupsView } from './groups-view.tsx'
import type { BuildView } from './search-address.ts'
import { TrendsView } from './trends-view.tsx'
import type { SearchPage } from './use-search-page.ts'

/** The views that fold builds; loaded with the first of them. Another query begins them anew. */
export function InsightViews({
  page,
  shown,
}: {
  page: SearchPage
  shown: Exclude<BuildView, 'list'>
}): ReactElement {
  return shown === 'groups' ? (
    <GroupsView key={page.apiText} page={page} />
  ) : (
    <TrendsView key={page.apiText} page={page} />
  )
}
