import type { Context } from 'hono'
import type { DeliveryList } from '../../../protocol/delivery.ts'
import { problemError } from '../../../protocol/problem.ts'
import { listDeliveries, retryDelivery } from '../../store/deliveries.ts'
import { badQuery, readListQuery } from '../history/history-query.ts'
import type { HistoryOptions } from '../history/history.ts'
import type { ProxyEnv } from '../sessions.ts'

type Answer = (c: Context<ProxyEnv>) => Promise<Response>

const mostListed = 20

/** `GET /history/deliveries?board=…`: the newest messages to a board's webhook. */
export function deliveryList({ database, settings, clock }: HistoryOptions): Answer {
  return async (c) => {
    const { board } = readListQuery(c, ['board'])
    if (board === undefined) throw badQuery('Name a board: ?board=….')
    const list: DeliveryList = {
      configured: settings.webhookBoards?.includes(board) ?? false,
      deliveries: await listDeliveries(database, board, mostListed),
      now: clock.now(),
    }
    return c.json(list)
  }
}

/**
 * `POST /history/deliveries/:id/retry`: answers 202 once a message that failed waits to be sent again,
 * which the next round does. Throws a ProblemError 409 for one that was sent or is being sent.
 */
export function retryFailedDelivery({ database, clock }: HistoryOptions): Answer {
  return async (c) => {
    const id = c.req.param('id') ?? ''
    if (await retryDelivery(database, id, clock.now())) return c.json({ id }, 202)
    throw problemError(
      409,
      'nothing-to-retry',
      'Nothing to send again',
      "The message has been sent, is being sent right now, or isn't recorded.",
    )
  }
}
