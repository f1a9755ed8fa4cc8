import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { parse } from '../../../search/parse.ts'
import { toApiQuery } from '../../../search/to-api.ts'
import {
  type BuildSearch,
  type BuildSearchView,
  eventStep,
  noSearch,
} from '../../data/builds/build-search.ts'
import { useBuildServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import type { BuildInsight, InsightView } from '../../data/insight/build-insight.ts'
import type { InsightAnswers, InsightQuery } from '../../data/insight/insight-messages.ts'
import { useSilence, useWaitStart } from '../../domain/silence/silence.ts'
import { useRested } from '../../ui/query-editor/query-assistance.ts'
import { awaitedSince, isBySteps } from './search-sentence.ts'
import { searchRequest, useServerNow } from './use-search-page.ts'

/** So many builds are read at first, and so many more with each step. */
const insightBudget = 10_000

/** How many builds are read with the next step. */
export function stepOf({ byEvents }: BuildSearchView): number {
  return byEvents.lately > 0 ? eventStep : insightBudget
}

/** The builds of a query, read page by page and folded in a worker. */
export interface Insight {
  readonly search: BuildSearch
  readonly list: BuildSearchView
  readonly insight: BuildInsight
  readonly view: InsightView
  /** Reads as many more, also after it was stopped. */
  readonly more: () => void
}

/** Reads and folds the builds of a query, as typed, `first` of them at first; nothing where it is undefined. */
export function useInsight(
  text: string | undefined,
  timeZone: string,
  first = insightBudget,
): Insight {
  const { searches, buildInsight } = useBuildServices()
  const serverNow = useServerNow()
  const query = useMemo(() => parse(text ?? ''), [text])
  const apiText = useMemo(() => toApiQuery(query, { timeZone }), [query, timeZone])
  const search =
    text === undefined
      ? noSearch
      : searches.open(apiText, () => searchRequest(query, apiText, { now: serverNow, timeZone }))
  const list = useStore(search)
  const insight = buildInsight(search)
  const view = useStore(insight)
  const [budget, setBudget] = useState(first)
  const { is } = list.state
  const isShort = list.read < budget
  useEffect(() => {
    if (is === 'resting' && isShort) search.upTo(budget)
  }, [search, is, isShort, budget])
  return {
    search,
    list,
    insight,
    view,
    more: () => {
      const next = list.state.is === 'resting' ? list.read + insightBudget : budget
      setBudget(next)
      search.upTo(next)
    },
  }
}

/**
 * The answer to a query about the builds so far; until there is a new one the old one stays, and so it
 * does as long as `stamp` is the same.
 */
export function useInsightAnswer<K extends InsightQuery['kind']>(
  { insight, view }: Pick<Insight, 'insight' | 'view'>,
  query: Extract<InsightQuery, { readonly kind: K }> | undefined,
  stamp: string | number = view.version,
): UseQueryResult<InsightAnswers[K]> {
  return useQuery<InsightAnswers[K]>({
    queryKey: ['insight', insight.id, stamp, query],
    queryFn: () => {
      if (query === undefined) throw new Error('nothing was queried')
      return insight.query(query)
    },
    enabled: query !== undefined && view.builds > 0 && view.fault === undefined,
    placeholderData: keepPreviousData,
    structuralSharing: false,
    staleTime: Infinity,
    gcTime: 5_000,
    retry: false,
  })
}

/** How long nothing more comes until tables are drawn with all that is here, ms. */
const restMs = 2000

/**
 * A stamp by which tables are drawn anew each time that half as many builds, or failures, have come
 * again, once no more have come for a while, and at the end: rows that change their places all the
 * time can't be read.
 */
export function useCalmStamp({ list, view }: Pick<Insight, 'list' | 'view'>): string {
  const { builds, failures, caches, version } = view
  const rested = useRested(version, restMs)
  const isMoving =
    isReading(list) ||
    [failures, caches].some(({ state }) => state.is === 'reading' || state.is === 'waiting')
  const stage = (count: number): number => Math.floor(Math.log(Math.max(1, count)) / Math.log(1.5))
  return isMoving
    ? [rested, ...[builds, failures.known, caches.known].map(stage)].join(' ')
    : String(version)
}

/** Whether more builds are on their way. */
export function isReading({ state }: BuildSearchView): boolean {
  return ['idle', 'reading', 'waiting'].includes(state.is)
}

/**
 * Who has not responded while nothing is counted yet, neither by the server itself, if it was
 * requested (`isRequested`), nor from the first page of the list; empty while that is no longer than usual.
 */
export function useCountingSilence(list: BuildSearchView, isRequested = false): string {
  const requested = useWaitStart(isRequested ? 0 : undefined)
  const page = list.read === 0 ? awaitedSince(list) : undefined
  return useSilence(requested ?? page, 'build server', !isRequested && isBySteps(list))
}
