import { skipToken, useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useReducer, useState } from 'react'
import { useSearchParams } from 'react-router'
import * as z from 'zod/mini'
import { check } from '../../../search/check.ts'
import { applyEdits } from '../../../search/diagnostic.ts'
import { addTerm } from '../../../search/edit.ts'
import { format } from '../../../search/format.ts'
import { compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import { toApiQuery } from '../../../search/to-api.ts'
import type { Query } from '../../../search/tree.ts'
import { buildCountQuery } from '../../data/builds/build-queries.ts'
import type { SearchRequest } from '../../data/builds/build-pages.ts'
import { type BuildSearch, type BuildSearchView, noSearch } from '../../data/builds/build-search.ts'
import { serverReleaseQuery } from '../../data/core/server-config.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { useDraftState } from '../../ui/drafts.ts'
import { viewerZone as viewerZoneOf } from '../../ui/format.ts'
import { momentsIn, usePastQueries, useRested } from '../../ui/query-editor/query-assistance.ts'
import { useTicker } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.ts'
import { useLoadableAddress } from '../../domain/saved-query/past-queries.ts'
import { insightAddress, type SearchAddress, searchAddress } from './search-address.ts'
import { pastRange, rangeBefore, startRange, withStartRange } from './query-time.ts'
import type { Before } from './search-sentence.ts'
import { useSearchState } from '../../data/core/search-state.ts'
import { useBuildServices, useServices } from '../../data/core/services.ts'
import type { FeedView } from '../../data/live/feed-state.ts'
import { useStore } from '../../data/core/store.ts'

/** What is searched for, what is being written, and how one becomes the other. */
export interface SearchPage {
  readonly address: SearchAddress
  /** What stands in the editor. */
  readonly draft: string
  readonly setDraft: (text: string) => void
  /** The query of the address. */
  readonly query: Query
  /** The same as the server gets it. */
  readonly apiText: string
  /** Whether it has errors, so that nothing is requested. */
  readonly isFaulty: boolean
  /** The zone in which its times are read. */
  readonly timeZone: string
  readonly serverRelease: string | undefined
  readonly search: BuildSearch
  /** Searches, unless the text has errors; the same text once more reads everything again. */
  readonly run: (text: string, zone?: string) => void
  /** Changes what is written and searches for it; where it would have errors it stays, and a message says so. */
  readonly refine: (change: (written: Query) => string) => void
  /** The query of the address of the same search narrowed by a term. */
  readonly narrowTo: (term: string) => string
  /** Changes what else is in the address, without a step to go back from. */
  readonly show: (change: Partial<Omit<SearchAddress, 'query'>>) => void
}

/** The state of the page: it all comes from the address, but for what is being written. */
export function useSearchPage(): SearchPage {
  useLoadableAddress()
  const [search, setSearch] = useSearchParams()
  const [address, change] = useSearchState(searchAddress)
  const [ran, setRan] = useState<string>()
  const [draft, setDraft] = useDraft(address.query, ran)
  const { data: serverRelease } = useQuery(serverReleaseQuery(useServices().request))
  const viewerZone = viewerZoneOf(usePreferences().zone)
  const timeZone = address.zone ?? viewerZone
  const [, remember] = usePastQueries()

  const query = useMemo(() => parse(address.query), [address.query])
  const apiText = useMemo(() => toApiQuery(query, { timeZone }), [query, timeZone])
  const isFaulty = useMemo(
    () => hasErrors(query, serverRelease, timeZone),
    [query, serverRelease, timeZone],
  )
  const { found, forget } = useFound({ query, apiText, timeZone, isFaulty })

  const run = useCallback(
    (text: string, zone = address.zone ?? viewerZone) => {
      setDraft(text)
      const next = parse(text)
      if (hasErrors(next, serverRelease, zone)) return
      setRan(text)
      remember(text)
      const isZoned = momentsIn(next).some(({ type }) => type === 'local')
      const to = searchAddress.write(
        { ...address, query: text, zone: isZoned ? zone : undefined },
        text === address.query ? search : insightAddress.update(search, { build: undefined }),
      )
      if (to.toString() === search.toString()) forget()
      else setSearch(to)
    },
    [address, viewerZone, setDraft, serverRelease, remember, search, forget, setSearch],
  )

  return {
    address,
    draft,
    setDraft,
    query,
    apiText,
    isFaulty,
    timeZone,
    serverRelease,
    search: found,
    run,
    refine: (change) => {
      const next = change(parse(draft))
      if (hasErrors(parse(next), serverRelease, timeZone)) {
        void toast('The query has an error. Fix it, then choose again.')
      } else run(next)
    },
    narrowTo: (term) =>
      searchAddress
        .update(search, { query: applyEdits(query.text, addTerm(query, term)) })
        .toString(),
    show: (part) => {
      change(part, true)
    },
  }
}

/** What is written in place of the query of an address. */
const Draft = z.optional(z.object({ query: z.string(), text: z.string() }))

/**
 * What is being written, until the address changes by itself: a step back, or a link. A query that `ran`
 * from here comes into the address a moment later, and takes back nothing that was written meanwhile. After
 * a look at another page, and a reload, it is there again beside the same query.
 */
function useDraft(
  query: string,
  ran: string | undefined,
): readonly [string, (text: string) => void] {
  const { state } = useServices().session
  const [draft, setDraft] = useDraftState('builds.query', Draft, undefined, {
    outlivesPage: { by: () => state.getSnapshot().session?.person },
  })
  const [before, setBefore] = useState(query)
  if (query !== before) {
    setBefore(query)
    setDraft(query === ran && draft !== undefined ? { ...draft, query } : undefined)
  }
  // Addresses are drawn in transitions: what ran, and was left before that, changes nothing here.
  useEffect(() => {
    const follow = (): void => {
      setDraft((written) => (written?.text === ran ? undefined : written))
    }
    addEventListener('popstate', follow)
    return () => {
      removeEventListener('popstate', follow)
    }
  }, [ran, setDraft])
  const write = useCallback(
    (text: string) => {
      setDraft({ query, text })
    },
    [query, setDraft],
  )
  return [draft?.query === query ? draft.text : query, write]
}

function useFound(wanted: {
  readonly query: Query
  readonly apiText: string
  readonly timeZone: string
  readonly isFaulty: boolean
}): { readonly found: BuildSearch; readonly forget: () => void } {
  const { query, apiText, timeZone, isFaulty } = wanted
  const { searches } = useBuildServices()
  const serverNow = useServerNow()
  const [, again] = useReducer((count: number) => count + 1, 0)
  const forget = useCallback(() => {
    searches.forget(apiText)
    again()
  }, [searches, apiText])
  if (isFaulty) return { found: noSearch, forget }
  const found = searches.open(apiText, () =>
    searchRequest(query, apiText, { now: serverNow, timeZone }),
  )
  return { found, forget }
}

/**
 * How far the build server's clock is ahead of this page's, ms: it resolves the relative times of a query by it. To ten
 * seconds: it trembles below that.
 */
function clockAhead({ clockDifference }: Pick<FeedView, 'clockDifference'>): number {
  return Math.round(clockDifference / 10_000) * 10_000
}

/** `clockAhead`; renders again when it changes. */
export function useClockAhead(): number {
  return useStore(useServices().feed, clockAhead)
}

/** Reads the time by the build server's clock, epoch ms, as far as it is known by then. */
export function useServerNow(): () => number {
  const ticker = useTicker()
  const { feed } = useServices()
  return useCallback(() => ticker.now() + clockAhead(feed.getSnapshot()), [ticker, feed])
}

/**
 * What is searched for by a query, of which `apiText` is the text for the server. `now` is the build server's time, read
 * with the first build: the feed may know that clock only then.
 */
export function searchRequest(
  query: Query,
  apiText: string,
  { now, timeZone }: { readonly now: () => number; readonly timeZone: string },
): SearchRequest {
  let read: number | undefined
  const at = () => ({ now: (read ??= now()), timeZone })
  let verdict: SearchRequest['verdict'] | undefined
  return {
    query: apiText.trim() === '' ? undefined : apiText,
    verdict: (facts) => (verdict ??= compile(query, at()))(facts),
    from: () => startRange(query, at()).from,
  }
}

/** Whether a query cannot be sent; its times are read in `timeZone`. */
function hasErrors(query: Query, serverRelease: string | undefined, timeZone: string): boolean {
  return check(query, { serverRelease, timeZone }).some(({ severity }) => severity === 'error')
}

/**
 * How many builds the query had in the period before: only where it has a beginning, and once all of
 * its own builds are there (`isWanted`). Undefined until it is known, and where it cannot be.
 */
export function useBefore({ query, timeZone }: SearchPage, isWanted: boolean): Before | undefined {
  const { reader } = useBuildServices().searches
  const ticker = useTicker()
  const ahead = useClockAhead()
  const period = useMemo(() => {
    const now = ticker.now() + ahead
    const range = isWanted ? pastRange(query, { now, timeZone }) : undefined
    if (range === undefined) return undefined
    const { from, to } = rangeBefore(range)
    const text = withStartRange(query, from, to)
    return { text: toApiQuery(parse(text), { timeZone }), lengthMs: to - from }
  }, [ticker, ahead, query, timeZone, isWanted])
  const { data } = useQuery(
    period === undefined
      ? { queryKey: ['build-count'], queryFn: skipToken }
      : buildCountQuery(reader, period.text),
  )
  return period === undefined || data === undefined || data === null
    ? undefined
    : { count: data, lengthMs: period.lengthMs }
}

/** What is shown: an answer, or while there is none the one to the question before. */
export interface ShownAnswer {
  readonly view: BuildSearchView
  /** Whether it answers an earlier question. */
  readonly isStale: boolean
  /** What there is of the answer itself. */
  readonly own: BuildSearchView
}

/** The answer to a search; what is here stays until the first page of the next one has come. */
export function useAnswer(search: BuildSearch): ShownAnswer {
  const view = useStore(search)
  useRetryOnceSignedIn(search)
  const [last, setLast] = useState<BuildSearchView>()
  if (!isBeginning(view) && view !== last) setLast(view)
  const isStale = isBeginning(view) && last !== undefined && last.found.length > 0
  return { view: isStale ? { ...last, state: view.state } : view, isStale, own: view }
}

function isBeginning({ state, read }: BuildSearchView): boolean {
  return read === 0 && ['idle', 'reading', 'waiting'].includes(state.is)
}

/** How long typing rests before the results are those of another query, ms. */
const restMs = 300

/** Whether what is written asks for something else than what is shown, however it is spelled. */
export function useIsOutdated({ draft, query }: SearchPage): boolean {
  const rested = useRested(draft, restMs)
  return useMemo(
    () => draft !== query.text && rested !== query.text && format(parse(rested)) !== format(query),
    [draft, rested, query],
  )
}

/** What was refused while nobody was signed in is searched for again once somebody is. */
function useRetryOnceSignedIn(search: BuildSearch): void {
  const isSignedOut = useStore(useServices().session.state, ({ is }) => is === 'signed-out')
  useEffect(() => {
    const { state } = search.getSnapshot()
    if (!isSignedOut && state.is === 'failed' && state.problem.status === 401) search.retry()
  }, [isSignedOut, search])
}
