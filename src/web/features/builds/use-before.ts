import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { parse } from '../../../search/parse.ts'
import { toApiQuery } from '../../../search/to-api.ts'
import { buildCountQuery } from '../../data/builds/build-count.ts'
import { useBuildSearches } from '../../data/builds/build-searches-context.ts'
import { useTicker } from '../../ui/time.tsx'
import { startRange, withStartRange } from './query-time.ts'
import type { Before } from './search-sentence.ts'
import type { SearchPage } from './use-search-page.ts'

/**
 * How many builds the query had in the period before: only where it has a beginning, and once all of
 * its own builds are there (`isWanted`). Undefined until it is known, and where it cannot be.
 */
export function useBefore({ query, timeZone }: SearchPage, isWanted: boolean): Before | undefined {
  const { reader } = useBuildSearches()
  const ticker = useTicker()
  const period = useMemo(() => {
    const now = ticker.now()
    const { from, to = now } = startRange(query, { now, timeZone })
    if (!isWanted || from === undefined || from >= to) return undefined
    const text = withStartRange(query, from - (to - from), from)
    return { text: toApiQuery(parse(text), { timeZone }), lengthMs: to - from }
  }, [ticker, query, timeZone, isWanted])
  const { data } = useQuery(
    period === undefined
      ? { queryKey: ['build-count'], queryFn: skipToken }
      : buildCountQuery(reader, period.text),
  )
  return period === undefined || data === undefined || data === null
    ? undefined
    : { count: data, lengthMs: period.lengthMs }
}
