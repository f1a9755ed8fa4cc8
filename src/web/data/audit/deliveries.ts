import {
  infiniteQueryOptions,
  queryOptions,
  type UseMutationResult,
  type UseQueryResult,
  useQuery,
} from '@tanstack/react-query'
import * as z from 'zod/mini'
import { deliveriesPath, DeliveryList } from '../../../protocol/delivery.ts'
import { isRetryable, ProblemError } from '../../../protocol/problem.ts'
import { usePost } from '../core/queries.tsx'
import type { Request } from '../core/request.ts'
import { useServices } from '../core/services.ts'
import { address } from '../scans/evaluation-history.ts'

/** So often messages are looked at again, ms: while one is being sent, and else. */
const sendingMs = 1000
const againMs = 10_000
const deliveriesKey = ['deliveries'] as const

/** Messages to whomever, the newest first, 200 at a time; kept up to date where there are receivers. */
export function alertsQuery(request: Request) {
  return infiniteQueryOptions({
    queryKey: [...deliveriesKey, 'all'],
    queryFn: ({ pageParam, signal }) =>
      request(address(deliveriesPath, { before: pageParam }), DeliveryList, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    // What is sent again moves to the first page. Each further page takes as long again.
    refetchInterval: ({ state: { data, error } }) => {
      const ms = againAfter(data?.pages[0], error)
      return ms === false ? false : ms * (data?.pages.length ?? 1)
    },
  })
}

function boardDeliveriesQuery(request: Request, board: string) {
  return queryOptions({
    queryKey: [...deliveriesKey, 'board', board],
    queryFn: ({ signal }) => request(address(deliveriesPath, { board }), DeliveryList, { signal }),
    refetchInterval: ({ state }) => againAfter(state.data, state.error),
  })
}

/** When to look again, ms: what somebody sends again shows its result at once; a list that did not come may still come. */
export function againAfter(
  list: DeliveryList | undefined,
  error: Error | null = null,
): number | false {
  if (list === undefined) {
    return error instanceof ProblemError && !isRetryable(error.status) ? false : againMs
  }
  if (!list.configured) return false
  const isSending = list.deliveries.some(
    ({ state, reason }) => state === 'waiting' && reason === null,
  )
  return isSending ? sendingMs : againMs
}

/** The newest messages to a board's webhook, kept up to date where it has one. */
export function useDeliveries(board: string): UseQueryResult<DeliveryList> {
  const { request } = useServices()
  return useQuery(boardDeliveriesQuery(request, board))
}

/** Has a message that failed sent again, by its id; the list is fetched again whatever comes of it. */
export function useRetryDelivery(): UseMutationResult<unknown, Error, string> {
  return usePost(deliveriesKey, z.looseObject({ id: z.string() }), (id) => [
    `${deliveriesPath}/${id}/retry`,
  ])
}
