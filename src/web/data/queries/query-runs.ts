import {
  queryOptions,
  useMutation,
  type UseMutationResult,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useCallback } from 'react'
import {
  clearQueryRunsPath,
  type NewQueryRun,
  type QueryRun,
  QueryRunList,
  queryRunsPath,
  RecordedQueryRun,
} from '../../../protocol/saved-query.ts'
import type { Request } from '../core/request.ts'
import { useServices } from '../core/services.ts'

/** What the person of the session searched for, the newest first; nobody else sees it. */
function queryRunsQuery(request: Request) {
  return queryOptions({
    queryKey: ['query-runs'],
    queryFn: async ({ signal }): Promise<readonly QueryRun[]> =>
      (await request(queryRunsPath, QueryRunList, { signal })).runs,
    staleTime: 60_000,
  })
}

/** The same, for components. */
export function useQueryRuns(): UseQueryResult<readonly QueryRun[]> {
  return useQuery(queryRunsQuery(useServices().request))
}

/** Remembers a search; false where the server didn't. */
export function useRecordQueryRun(): (run: NewQueryRun) => Promise<boolean> {
  const { request } = useServices()
  const client = useQueryClient()
  return useCallback(
    async (run) => {
      try {
        await request(queryRunsPath, RecordedQueryRun, { method: 'POST', body: run })
        // A response that is on its way may be from before it.
        void client.invalidateQueries(queryRunsQuery(request))
        return true
      } catch {
        return false
      }
    },
    [request, client],
  )
}

/** Forgets all that the person searched for. */
export function useClearQueryRuns(): UseMutationResult<QueryRunList, Error, undefined> {
  const { request } = useServices()
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => request(clearQueryRunsPath, QueryRunList, { method: 'POST', body: {} }),
    onSuccess: ({ runs }) => {
      client.setQueryData(queryRunsQuery(request).queryKey, runs)
    },
  })
}
