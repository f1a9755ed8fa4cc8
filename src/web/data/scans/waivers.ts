import {
  queryOptions,
  type UseMutationResult,
  usePrefetchQuery,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useCallback } from 'react'
import { ProblemError } from '../../../protocol/problem.ts'
import {
  ChangedWaivers,
  type NewWaiver,
  UnmatchedWaivers,
  unmatchedWaiversPath,
  waiverApprovalPath,
  type Waiver,
  waiverBulkPath,
  waiverEndPath,
  WaiverList,
  waiversPath,
} from '../../../protocol/waiver.ts'
import type { Request } from '../core/request.ts'
import { useServices, useSessionUser } from '../core/services.ts'
import { useFreshQuery, usePost } from '../core/queries.tsx'

const queryKey = ['waivers']
/** What colleagues do is seen so soon, ms. */
const refreshMs = 30_000
/** All runs are read for it. */
const unmatchedRefreshMs = 5 * 60_000

/** The waivers of a package, ended ones too: `path` is a `packagePath`, or with `/*` for all of its versions. */
function waiversQuery(request: Request, path: string) {
  return queryOptions({
    queryKey: [...queryKey, path],
    queryFn: ({ signal }) =>
      request(`${waiversPath}?${new URLSearchParams({ path }).toString()}`, WaiverList, { signal }),
    staleTime: refreshMs,
    refetchInterval: refreshMs,
  })
}

/** The waivers of a package as they stand, also when somebody else changes one; `path` as for `waiversQuery`. */
export function usePackageWaivers(path: string): UseQueryResult<WaiverList> {
  const query = waiversQuery(useServices().request, path)
  useFreshQuery('waivers', query.queryKey, (key) => allVersionsPath(key) === allVersionsPath(path))
  return useQuery(query)
}

/** Requests the waivers of a package beside what they are shown with. */
export function usePrefetchWaivers(packagePath: string): void {
  usePrefetchQuery(waiversQuery(useServices().request, allVersionsPath(packagePath)))
}

/** `packagePath` with all versions in place of its own: what `waiversQuery` is requested. */
export function allVersionsPath(packagePath: string): string {
  return `${packagePath.slice(0, packagePath.lastIndexOf('/'))}/*`
}

/** The waivers of all packages: each in force or waiting, and the newest others, for boards and the register. */
function allWaiversQuery(request: Request) {
  return queryOptions({
    queryKey: [...queryKey, 'all'],
    queryFn: ({ signal }) => request(waiversPath, WaiverList, { signal }),
    staleTime: refreshMs,
    refetchInterval: refreshMs,
  })
}

/** The waivers of all packages as they stand, also when somebody else changes one. */
export function useAllWaivers(): UseQueryResult<WaiverList> {
  useFreshQuery('waivers', queryKey)
  return useQuery(allWaiversQuery(useServices().request))
}

/** The ids of the waivers in force that no run has needed; it may take longer than the waivers themselves. */
export function useUnmatchedWaivers(): UseQueryResult<ReadonlySet<string>> {
  const { request } = useServices()
  return useQuery({
    queryKey: [...queryKey, 'unmatched'],
    queryFn: async ({ signal }) =>
      new Set((await request(unmatchedWaiversPath, UnmatchedWaivers, { signal })).ids),
    staleTime: refreshMs,
    refetchInterval: unmatchedRefreshMs,
  })
}

/** Gives waivers, all or none. Whatever comes of it, they are read anew: a colleague may have been faster. */
export function useGiveWaivers(): UseMutationResult<ChangedWaivers, Error, readonly NewWaiver[]> {
  return usePost(queryKey, ChangedWaivers, (waivers) => [waiverBulkPath, { waivers }])
}

/** Ends waivers before their time, by their ids, all or none. */
export function useEndWaivers(): UseMutationResult<ChangedWaivers, Error, readonly string[]> {
  return usePost(queryKey, ChangedWaivers, (ids) => [waiverEndPath, { ids }])
}

/** Approves waivers that somebody else has given, by their ids, all or none; `waivers` has them as they stand. */
export function useApproveWaivers(waivers: readonly Waiver[]): {
  readonly approve: (ids: readonly string[]) => void
  /** Why they were not approved: a plain sentence, until they are after all. */
  readonly refusal: string | undefined
} {
  const user = useSessionUser()
  const { mutate, isPending, error, variables } = usePost(
    queryKey,
    ChangedWaivers,
    (ids: readonly string[]) => [waiverApprovalPath, { ids }],
  )
  const approve = useCallback(
    (ids: readonly string[]) => {
      if (!isPending) mutate(ids)
    },
    [isPending, mutate],
  )
  const approved = waivers.filter(({ approvedBy }) => approvedBy === user?.name)
  const isDone = variables?.every((wanted) => approved.some(({ id }) => id === wanted)) === true
  return { approve, refusal: error === null || isDone ? undefined : waiverRefusal(error) }
}

/** Why a waiver was not given or ended: a plain sentence, and what to do about it. */
export function waiverRefusal(error: Error): string {
  if (!(error instanceof ProblemError)) return `Request failed: ${error.message}`
  const { status, message, sentence } = error
  if (status === 404) {
    return 'This waiver no longer exists, or this Sightline keeps no waivers. The list was reloaded.'
  }
  if (status === 409) return `${sentence} The list was reloaded.`
  // The proxy names the field, or the role that it takes; of who was signed out nothing is changed (`useAct`).
  if ([400, 401, 403].includes(status)) return message
  return `${sentence} The change may not have been saved. Check the list, then try again.`
}
