import { queryOptions } from '@tanstack/react-query'
import type { BuildSummary } from '../../../protocol/build-summary.ts'
import type { BuildListReader } from './build-list-reader.ts'

/** Above this it would take too many pages only to say a number. */
const mostCounted = 5000
const pageSize = 1000

/**
 * How many builds match a query that the server searches for; null where they are more than 5,000.
 * No attributes are asked for. A server that is too slow or too busy is left alone: whoever
 * asks can do without the number.
 */
export function buildCountQuery(reader: BuildListReader, query: string) {
  return queryOptions({
    queryKey: ['build-count', query],
    queryFn: async ({ signal }): Promise<number | null> => {
      const seen = new Set<string>()
      let after: BuildSummary | undefined
      while (seen.size <= mostCounted) {
        const wanted = { query, after, from: undefined, max: pageSize, withAttributes: false }
        const answer = await reader.page(wanted, signal)
        if (!answer.ok) throw answer.refusal
        const before = seen.size
        for (const { id } of answer.page.builds) seen.add(id)
        if (seen.size === before) return before
        after = answer.page.builds.at(-1)
      }
      return null
    },
    staleTime: Infinity,
    gcTime: 300_000,
    retry: false,
  })
}
