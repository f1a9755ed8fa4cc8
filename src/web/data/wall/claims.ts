import { type UseMutationResult, useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import {
  claimEndPath,
  type ClaimedTile,
  type ClaimKind,
  ClaimList,
  claimsPath,
  type NewClaim,
  type TileClaim,
} from '../../../protocol/claim.ts'
import { useFreshQuery, usePost } from '../core/queries.tsx'
import { useServices } from '../core/services.ts'

const queryKey = ['claims']
/** How often it is looked whether anything was missed, ms. */
const againMs = 15_000

const none: readonly TileClaim[] = []

/** What people say of failing tiles. */
export interface Claims {
  readonly claims: readonly TileClaim[]
  /** Before, a tile that fails may be asleep. */
  readonly isKnown: boolean
  /** They couldn't be requested the last time. */
  readonly hasFailed: boolean
}

/** What people say of failing tiles: at once, and within 15 s where that is missed; before that, what was `kept`. */
export function useClaims(kept?: readonly TileClaim[]): Claims {
  const { request, session } = useServices()
  useFreshQuery('claims', queryKey)
  const { data, isError } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      request(claimsPath, ClaimList, {
        signal,
        // A screen requests no session, by which a page learns that its clock was set.
        read: (response) => session.heard(response).json(),
      }),
    // What sleeps wakes by itself.
    refetchInterval: againMs,
    refetchIntervalInBackground: true,
  })
  const known = data?.claims ?? kept
  return { claims: known ?? none, isKnown: known !== undefined, hasFailed: isError }
}

/** Claims a tile, or lets it sleep. */
export function useSayOfTile(): UseMutationResult<unknown, Error, NewClaim> {
  return usePost(queryKey, z.unknown(), (claim) => [claimsPath, claim])
}

/** Releases or wakes a tile, unless somebody has said something else of it than what was said at `createdAt`, epoch ms. */
export function useTakeBack(): UseMutationResult<
  unknown,
  Error,
  ClaimedTile & { readonly kind: ClaimKind; readonly createdAt?: number | undefined }
> {
  return usePost(queryKey, z.unknown(), (claim) => [claimEndPath, claim])
}
