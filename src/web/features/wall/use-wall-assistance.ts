import { useMemo } from 'react'
import type { Facts } from '../../../protocol/facts.ts'
import {
  type QueryAssistance,
  seenValues,
  usePastQueries,
} from '../../ui/query-editor/query-assistance.ts'
import { useTicker } from '../../ui/time.tsx'
import { useServices } from '../../data/core/services.ts'

/** In how many of the newest builds values are looked for. */
const most = 2000

/** What the editor of a tile's query knows: values are those of the newest builds of the feed. */
export function useWallAssistance(timeZone: string): QueryAssistance {
  const { feed } = useServices()
  const ticker = useTicker()
  const [history] = usePastQueries()
  return useMemo(() => {
    const newest = (): Facts[] => {
      const { oldest, newest: last, row } = feed.getSnapshot()
      const first = Math.max(oldest, last - most)
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
        return row(last - index)?.facts
      }).filter((facts) => facts !== undefined)
    }
    return {
      timeZone,
      now: ticker.now,
      history,
      values: (field, pair) => seenValues(newest(), field, pair),
    }
  }, [feed, ticker, timeZone, history])
}
