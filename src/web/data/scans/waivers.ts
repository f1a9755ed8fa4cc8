import {
  type QueryClient,
  queryOptions,
  useMutation,
  type UseMutationResult,
  useQueryClient,
} from '@tanstack/react-query'
import { ProblemError } from '../../../protocol/problem.ts'
import { type NewWaiver, Waiver, WaiverList, waiversPath } from '../../../protocol/waiver.ts'
import type { Request } from '../core/request.ts'
import { useServices } from '../core/services.ts'

const queryKey = ['waivers']
/** What colleagues do is seen so soon, ms. */
const refreshMs = 30_000

/**
 * The waivers of a package: `path` is a `packagePath`, or with `/*` in place of the version all of its
 * versions. Ended and expired ones are among them.
 */
export function waiversQuery(request: Request, path: string) {
  return queryOptions({
    queryKey: [...queryKey, path],
    queryFn: ({ signal }) =>
      request(`${waiversPath}?${new URLSearchParams({ path }).toString()}`, WaiverList, { signal }),
    staleTime: refreshMs,
    refetchInterval: refreshMs,
  })
}

/** `packagePath` with all versions in place of its own: what `waiversQuery` is requested. */
export function allVersionsPath(packagePath: string): string {
  return `${packagePath.slice(0, packagePath.lastIndexOf('/'))}/*`
}

/** Gives waivers. Whatever comes of it, the package's are read anew: a colleague may have been faster. */
export function useGiveWaiver(): UseMutationResult<Waiver, Error, NewWaiver> {
  const { request } = useServices()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body) => request(waiversPath, Waiver, { method: 'POST', body }),
    onSettled: (_waiver, _error, { packagePath }) => readAnew(client, packagePath),
  })
}

/** Ends a waiver, by its id, before its time. The lists are read anew, as with `useGiveWaiver`. */
export function useEndWaiver(): UseMutationResult<Waiver, Error, string> {
  const { request } = useServices()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id) =>
      request(`${waiversPath}/${encodeURIComponent(id)}/end`, Waiver, { method: 'POST', body: {} }),
    onSettled: (waiver) =>
      waiver === undefined
        ? client.invalidateQueries({ queryKey })
        : readAnew(client, waiver.packagePath),
  })
}

/** A board has a list for each of its packages: only those that may have changed are requested. */
async function readAnew(client: QueryClient, packagePath: string): Promise<void> {
  await Promise.all(
    [packagePath, allVersionsPath(packagePath)].map((path) =>
      client.invalidateQueries({ queryKey: [...queryKey, path] }),
    ),
  )
}

/** Why a waiver was not given or ended: a plain sentence, and what to do about it. */
export function waiverRefusal(error: Error): string {
  if (!(error instanceof ProblemError)) return `Request failed: ${error.message}`
  const { status, message, sentence } = error
  if (status === 401) {
    return 'Your session has ended. Copy the reason, then reload the page to sign in.'
  }
  if (status === 404) {
    return 'This waiver no longer exists, or this Sightline keeps no waivers. The list was reloaded.'
  }
  if (status === 409) return `${sentence} The list was reloaded.`
  // The proxy names the field, or the role that it takes.
  if (status === 400 || status === 403) return message
  return `${sentence} The change may not have been saved. Check the list, then try again.`
}
