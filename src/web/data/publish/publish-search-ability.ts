import { queryOptions } from '@tanstack/react-query'
import type { BuildListReader } from '../builds/build-list-reader.ts'

/**
 * Whether the build server searches by itself, so that what it counts for a query is true; asked
 * with that query. Throws a ProblemError for one that the server refuses.
 */
export function searchAbilityQuery(reader: BuildListReader, query: string) {
  return queryOptions({
    queryKey: ['search-ability', query],
    queryFn: async ({ signal }): Promise<boolean> => {
      const wanted = { query, after: undefined, from: undefined, max: 1, withAttributes: false }
      const answer = await reader.page(wanted, signal)
      if (!answer.ok) throw answer.refusal
      const { search, order } = answer.ability
      return search === 'yes' && order === 'newest-first'
    },
    staleTime: Infinity,
    gcTime: 300_000,
    retry: false,
  })
}
