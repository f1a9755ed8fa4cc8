import {
  queryOptions,
  useMutation,
  type UseMutationResult,
  type UseQueryResult,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import * as z from 'zod/mini'
import { deliveriesPath, DeliveryList } from '../../../protocol/delivery.ts'
import { isRetryable, ProblemError } from '../../../protocol/problem.ts'
import type { Request } from '../core/request.ts'
import { useServices } from '../core/services.ts'

/** So often messages are looked at again, ms: while one is being sent, and else. */
const sendingMs = 1000
const againMs = 10_000
const deliveriesKey = ['deliveries'] as const

function deliveriesQuery(request: Request, board: string | undefined) {
  return queryOptions({
    queryKey: [...deliveriesKey, board],
    queryFn: ({ signal }) => {
      const query = board === undefined ? '' : `?${new URLSearchParams({ board }).toString()}`
      return request(`${deliveriesPath}${query}`, DeliveryList, { signal })
    },
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

/** The newest messages to a board's webhook, or to whomever, kept up to date where there are receivers. */
export function useDeliveries(board?: string): UseQueryResult<DeliveryList> {
  const { request } = useServices()
  return useQuery(deliveriesQuery(request, board))
}

/** Has a message that failed sent again, by its id; the list is fetched again whatever comes of it. */
export function useRetryDelivery(): UseMutationResult<unknown, Error, string> {
  const { request } = useServices()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id) =>
      request(`${deliveriesPath}/${id}/retry`, z.looseObject({ id: z.string() }), {
        method: 'POST',
      }),
    onSettled: () => client.invalidateQueries({ queryKey: deliveriesKey }),
  })
}
