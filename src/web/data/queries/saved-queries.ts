import {
  queryOptions,
  useMutation,
  type UseMutationResult,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useCallback } from 'react'
import { ProblemError } from '../../../protocol/problem.ts'
import {
  clearQueryRunsPath,
  type NewQueryRun,
  type NewSavedQuery,
  type QueryRun,
  QueryRunList,
  queryRunsPath,
  RecordedQueryRun,
  savedQueriesPath,
  type SavedQueryChange,
  SavedQueryConflict,
  type SavedQueryImport,
  savedQueryImportPath,
  StoredQuery,
  StoredQueryList,
} from '../../../protocol/saved-query.ts'
import type { Request } from '../core/request.ts'
import { useServices } from '../core/services.ts'
import { useAct, useFreshQuery } from '../core/queries.tsx'

/** The queries that somebody sees under their names: their own and the shared ones, by name. */
export function savedQueriesQuery(request: Request) {
  return queryOptions({
    queryKey: ['saved-queries'],
    queryFn: async ({ signal }): Promise<readonly StoredQuery[]> =>
      (await request(savedQueriesPath, StoredQueryList, { signal })).queries,
    staleTime: 60_000,
  })
}

/** The same, also as others share and change them. */
export function useSavedQueries(): UseQueryResult<readonly StoredQuery[]> {
  const query = savedQueriesQuery(useServices().request)
  useFreshQuery('queries', query.queryKey)
  return useQuery(query)
}

export type SavedQueryTask =
  | { readonly is: 'save'; readonly query: NewSavedQuery }
  | { readonly is: 'change'; readonly id: string; readonly change: SavedQueryChange }
  | { readonly is: 'delete'; readonly id: string; readonly version: number }
  | { readonly is: 'restore'; readonly id: string }

/** Does it; whatever comes of it, the list is read anew. */
export function useSavedQueryTask(): UseMutationResult<StoredQuery, Error, SavedQueryTask> {
  const { request } = useServices()
  const act = useAct()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (task) => {
      const [path, body] = requestOf(task)
      return act(path, StoredQuery, { method: 'POST', body })
    },
    // Nobody waits for it: what came of the task is shown at once.
    onSettled: () => {
      void client.invalidateQueries(savedQueriesQuery(request))
    },
  })
}

function requestOf(task: SavedQueryTask): readonly [path: string, body: unknown] {
  if (task.is === 'save') return [savedQueriesPath, task.query]
  const path = `${savedQueriesPath}/${encodeURIComponent(task.id)}`
  switch (task.is) {
    case 'change':
      return [path, task.change]
    case 'delete':
      return [`${path}/delete`, { version: task.version }]
    case 'restore':
      return [`${path}/restore`, {}]
  }
}

/** Hands over what this browser kept by itself; the answer takes the place of what was known. */
export function useImportQueries(): UseMutationResult<StoredQueryList, Error, SavedQueryImport> {
  const { request } = useServices()
  const act = useAct()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body) => act(savedQueryImportPath, StoredQueryList, { method: 'POST', body }),
    onSuccess: ({ queries }) => {
      client.setQueryData(savedQueriesQuery(request).queryKey, queries)
      // A response that is on its way may be from before it.
      void client.invalidateQueries(savedQueriesQuery(request))
      return client.invalidateQueries({ queryKey: ['query-runs'] })
    },
  })
}

/** The query that stands in the way of a task: of the same name, or as somebody else has changed it. */
export function conflictIn(error: Error | null): StoredQuery | undefined {
  if (!(error instanceof ProblemError)) return undefined
  return SavedQueryConflict.safeParse(error.problem).data?.current
}

/** The same task once more, in knowledge of what stood in its way. */
export function replacing(task: SavedQueryTask, current: StoredQuery): SavedQueryTask {
  const { id, version } = current
  switch (task.is) {
    case 'save': {
      const { query, zone } = task.query
      return { is: 'change', id, change: { version, query, zone } }
    }
    case 'change':
      return { ...task, change: { ...task.change, version } }
    case 'delete':
      return { ...task, version }
    case 'restore':
      return task
  }
}

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
  const act = useAct()
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => act(clearQueryRunsPath, QueryRunList, { method: 'POST', body: {} }),
    onSuccess: ({ runs }) => {
      client.setQueryData(queryRunsQuery(request).queryKey, runs)
      void client.invalidateQueries(queryRunsQuery(request))
    },
  })
}
