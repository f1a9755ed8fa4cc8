import { useEffect } from 'react'

/** Where the dashboard lies: a proxy serves it at the root, the static demo stands in any folder. */
export const basePath =
  import.meta.env.MODE === 'demo'
    ? new URL(import.meta.url.replace(/assets\/[^/]*$/, '')).pathname
    : '/'

/** The icons of the tab, in `public/`. */
export type TabIcon = 'quiet' | 'good' | 'failed' | 'stale'

/** Where an icon lies. */
export function iconPath(icon: TabIcon): string {
  return `${basePath}icon-${icon}.svg`
}

/** Keeps the title and the icon of the browser's tab true. */
export function useTab(title: string, icon: TabIcon): void {
  useEffect(() => {
    document.title = title
  }, [title])
  useEffect(() => {
    document.querySelector('link[rel="icon"]')?.setAttribute('href', iconPath(icon))
  }, [icon])
}
