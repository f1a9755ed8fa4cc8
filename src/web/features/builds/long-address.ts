import { useEffect } from 'react'
import { type Path, useLocation } from 'react-router'

/** A server reads an address of 8 KiB; a query that makes it longer stands behind the `#`, which is not sent. */
const longest = 7500

/** The search of the page's address where it is too long to be requested, as `#?q=…`; else undefined. */
export function searchInHash({ hash }: Pick<Path, 'hash'>): string | undefined {
  return hash.startsWith('#?') ? hash.slice(1) : undefined
}

/** An address that can be requested, reloaded and shared, and means the same to this page. */
export function loadableAddress({ pathname, search, hash }: Path): string {
  return pathname.length + search.length <= longest
    ? pathname + search + hash
    : `${pathname}#${search}`
}

/** Shows an address that is too long as one that can be reloaded; the router goes on with its own. */
export function useLoadableAddress(): void {
  const location = useLocation()
  useEffect(() => {
    const shown = loadableAddress(location)
    if (shown.startsWith(`${location.pathname}#?`)) history.replaceState(history.state, '', shown)
  }, [location])
}
