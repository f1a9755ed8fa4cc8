import { useEffect } from 'react'
import { matchPath, useLocation } from 'react-router'
import { useNow } from '../ui/time.tsx'
import { documentState } from './document-state.ts'
import { detailPages, pages } from './pages.ts'
import { useServices } from '../data/core/services.ts'

/** Keeps the title and the icon of the tab true; shows nothing itself. */
export function DocumentTitle(): null {
  const { pathname } = useLocation()
  const known = [...pages, ...detailPages].find(({ path }) => matchPath(path, pathname) !== null)
  const page = known?.label ?? 'No such page'
  const { title, icon } = documentState(useServices().feed.getSnapshot(), page, useNow())
  useEffect(() => {
    document.title = title
  }, [title])
  useEffect(() => {
    document.querySelector('link[rel="icon"]')?.setAttribute('href', `/icon-${icon}.svg`)
  }, [icon])
  return null
}
