import {
  queryOptions,
  useMutation,
  type UseMutationResult,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import * as z from 'zod/mini'
import type { Clock } from '../../../protocol/clock.ts'
import { deliveriesPath, DeliveryList } from '../../../protocol/delivery.ts'
import type { Request } from '../core/request.ts'
import { useServices } from '../core/services.ts'

const againMs = 30_000

/** The messages, and what to add to this browser's clock to get the proxy's, ms. */
export interface SeenDeliveries extends DeliveryList {
  readonly skew: number
}

function deliveriesQuery(request: Request, clock: Clock, board: string) {
  return queryOptions({
    queryKey: ['deliveries', board],
    queryFn: async ({ signal }): Promise<SeenDeliveries> => {
      const query = new URLSearchParams({ board }).toString()
      const list = await request(`${deliveriesPath}?${query}`, DeliveryList, { signal })
      return { ...list, skew: list.now - clock.now() }
    },
    refetchInterval: ({ state }) => (state.data?.configured === true ? againMs : false),
  })
}

/** The newest messages to a board's webhook, kept up to date where it has one. */
export function useDeliveries(board: string): SeenDeliveries | undefined {
  const { request, clock } = useServices()
  return useQuery(deliveriesQuery(request, clock, board)).data
}

/** Has a message that failed sent again, by its id; the list is fetched again whatever comes of it. */
export function useRetryDelivery(board: string): UseMutationResult<unknown, Error, string> {
  const { request, clock } = useServices()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id) =>
      request(`${deliveriesPath}/${id}/retry`, z.looseObject({ id: z.string() }), {
        method: 'POST',
      }),
    onSettled: () => client.invalidateQueries(deliveriesQuery(request, clock, board)),
  })
}
