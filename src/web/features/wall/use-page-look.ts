import { useEffect, useLayoutEffect } from 'react'

/** Gives the whole document the colours of a wall, and what it had before when the wall is left. */
export function useScheme(scheme: 'dark' | 'light'): void {
  useLayoutEffect(() => {
    const root = document.documentElement
    const before = root.getAttribute(attribute)
    root.setAttribute(attribute, scheme)
    return () => {
      if (before !== null) root.setAttribute(attribute, before)
    }
  }, [scheme])
}

const attribute = 'data-mantine-color-scheme'

/** Keeps the title and the icon of the tab true; the icon is one of those in `public/`. */
export function useTab(title: string, icon: 'quiet' | 'good' | 'failed' | 'stale'): void {
  useEffect(() => {
    document.title = title
  }, [title])
  useEffect(() => {
    document.querySelector('link[rel="icon"]')?.setAttribute('href', `/icon-${icon}.svg`)
  }, [icon])
}
