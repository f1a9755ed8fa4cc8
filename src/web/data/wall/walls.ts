import {
  queryOptions,
  useInfiniteQuery,
  useMutation,
  type UseMutationResult,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query'
import { ProblemError } from '../../../protocol/problem.ts'
import {
  WallConflict,
  WallHistory,
  WallList,
  type WallMistake,
  WallMistakes,
  WallRevision,
  type WallSave,
  wallsPath,
} from '../../../protocol/wall.ts'
import type { Request } from '../core/request.ts'
import { configQuery } from '../core/server-config.ts'
import { useServices } from '../core/services.ts'
import { useAct, useFreshQuery } from '../core/queries.tsx'

function wallsQuery(request: Request) {
  return queryOptions({
    queryKey: ['walls'],
    queryFn: ({ signal }) => request(wallsPath, WallList, { signal }),
  })
}

/** All walls, also as others save and delete them. */
export function useWalls(): UseQueryResult<WallList> {
  const query = wallsQuery(useServices().request)
  useFreshQuery('walls', query.queryKey)
  return useQuery(query)
}

/** Fetches the configuration again as soon as somebody saves a wall. For as long as a wall is shown. */
export function useFreshWalls(): void {
  useFreshQuery('walls', configQuery(useServices().request).queryKey)
}

/** The revisions of a wall, the newest first, page by page; `isSaved`: there are some. */
export function useWallHistory(name: string, isSaved: boolean) {
  const { request } = useServices()
  const queryKey = ['wall-history', name]
  useFreshQuery('walls', queryKey, (changed) => changed === name)
  return useInfiniteQuery({
    queryKey,
    enabled: isSaved,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      request(`${pathOf(name)}${pageParam}`, WallHistory, { signal }),
    getNextPageParam: ({ next }) => (next === null ? undefined : `?before=${next}`),
  })
}

export type WallTask =
  | ({ readonly is: 'save'; readonly name: string } & WallSave)
  | { readonly is: 'delete'; readonly name: string; readonly base: number }
  | {
      readonly is: 'restore'
      readonly name: string
      readonly base: number
      readonly number: number
    }

/** Does it; whatever comes of it, walls are read anew. */
export function useWallTask(): UseMutationResult<WallRevision, Error, WallTask> {
  const { request } = useServices()
  const act = useAct()
  const client = useQueryClient()
  const readAnew = (name: string) =>
    Promise.all(
      [wallsQuery(request).queryKey, configQuery(request).queryKey, ['wall-history', name]].map(
        (queryKey) => client.invalidateQueries({ queryKey }),
      ),
    )
  return useMutation({
    mutationFn: ({ is, name, ...body }) =>
      act(is === 'save' ? pathOf(name) : `${pathOf(name)}/${is}`, WallRevision, {
        method: 'POST',
        body,
      }),
    onSuccess: (_, { name }) => readAnew(name),
    // A refusal is said at once.
    onError: (_, { name }) => void readAnew(name),
  })
}

function pathOf(name: string): string {
  return `${wallsPath}/${encodeURIComponent(name)}`
}

/** The revision that somebody else saved meanwhile, where that is why a task was refused. */
export function laterRevision(error: Error | null): WallRevision | undefined {
  if (!(error instanceof ProblemError)) return undefined
  return WallConflict.safeParse(error.problem).data?.current
}

/** What was wrong with a wall that was to be saved; none where it was refused for something else. */
export function wallMistakes(error: Error | null): readonly WallMistake[] {
  if (!(error instanceof ProblemError)) return []
  return WallMistakes.safeParse(error.problem).data?.mistakes ?? []
}
