import { useEffect, useEffectEvent, useMemo, useRef } from 'react'
import { type Path, useLocation } from 'react-router'
import { longestQueryRun, type NewQueryRun } from '../../../protocol/saved-query.ts'
import type { BuildSearchView } from '../../data/builds/build-search.ts'
import { useQueryRuns, useRecordQueryRun } from '../../data/queries/saved-queries.ts'
import { usePreferences } from '../../ui/device-preferences.ts'

/** The queries that the person ran before anywhere, or on this device, newest first. */
export function useQueryHistory(): readonly string[] {
  const { pastQueries } = usePreferences()
  const { data } = useQueryRuns()
  return useMemo(
    () => [...new Set([...(data ?? []).map(({ query }) => query), ...pastQueries])],
    [data, pastQueries],
  )
}

/** Records a search once it has a result, and once more when that is complete. */
export function useRecordedSearch(
  search: { readonly query: string; readonly zone: string | undefined },
  view: BuildSearchView,
): void {
  const record = useRecordQueryRun()
  const run = runOf(search, view)
  // While more is loaded, the search is the same one.
  const key =
    run === undefined
      ? undefined
      : JSON.stringify([run.query, run.zone, run.isComplete && run.matches])
  const last = useRef<string>(undefined)
  const recordNow = useEffectEvent(() => {
    if (run !== undefined) void record(run)
  })
  useEffect(() => {
    if (key === undefined || key === last.current) return
    last.current = key
    recordNow()
  }, [key])
}

/** A search as it is recorded; undefined while it has no result, and for what isn't recorded. */
export function runOf(
  { query, zone }: { readonly query: string; readonly zone: string | undefined },
  { state, found }: BuildSearchView,
): NewQueryRun | undefined {
  if (query.trim() === '' || query.length > longestQueryRun) return undefined
  if (!['resting', 'cancelled', 'done'].includes(state.is)) return undefined
  const isComplete = state.is === 'done' && state.note === undefined
  return { query, zone: zone ?? null, matches: found.length, isComplete }
}

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

/**
 * Shows an address that is too long as one that can be reloaded, and gives links to such addresses one that opens in a
 * new tab, once they are pressed; the router goes on with its own.
 */
export function useLoadableAddress(): void {
  const { search } = useLocation()
  useEffect(() => {
    const events = ['pointerdown', 'keydown'] as const
    for (const event of events) addEventListener(event, shortenPressed, true)
    return () => {
      for (const event of events) removeEventListener(event, shortenPressed, true)
    }
  }, [])
  useEffect(() => {
    // The router's own path lacks what Sightline is below.
    const { pathname } = location
    const shown = loadableAddress({ pathname, search, hash: '' })
    if (shown.startsWith(`${pathname}#?`)) history.replaceState(history.state, '', shown)
  }, [search])
}

function shortenPressed({ target }: Event): void {
  const link = target instanceof Element ? target.closest('a') : null
  if (link?.origin !== location.origin) return
  const shown = loadableAddress(link)
  if (shown.startsWith(`${link.pathname}#?`)) link.href = shown
}
