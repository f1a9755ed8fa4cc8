import { createContext, useContext, useSyncExternalStore } from 'react'
import type { BuildSearch, BuildSearchView } from './build-search.ts'
import type { BuildSearches } from './build-searches.ts'

/** The searches that the entry (web/app) made. */
export const BuildSearchesContext = createContext<BuildSearches | undefined>(undefined)

/** The page's searches. Throws an Error outside a BuildSearchesContext. */
export function useBuildSearches(): BuildSearches {
  const searches = useContext(BuildSearchesContext)
  if (searches === undefined) throw new Error('useBuildSearches needs a context above it')
  return searches
}

/** How a search stands; renders again as it goes on. */
export function useBuildSearchView(search: BuildSearch): BuildSearchView {
  return useSyncExternalStore(search.subscribe, search.getSnapshot)
}
