import type { DeliveryList } from '../../../protocol/delivery.ts'
import { problemError } from '../../../protocol/problem.ts'
import { listDeliveries, retryDelivery } from '../../store/deliveries.ts'
import { originOf } from '../history/audit.ts'
import type { History, HistoryOptions } from '../history/history.ts'
import { readListQuery } from '../read-request.ts'
import type { RouteHandler } from '../sessions.ts'

const mostOfBoard = 20
const mostListed = 200

/** `GET /history/deliveries`: the newest messages to webhooks and people; with `board`, to a board's webhook. */
export function deliveryList({ database, settings, clock }: HistoryOptions): RouteHandler {
  return async (c) => {
    const { board } = readListQuery(c, ['board'])
    const { webhookBoards = [], hasAlerts = false } = settings
    const limit = board === undefined ? mostListed : mostOfBoard
    const list: DeliveryList = {
      configured:
        board === undefined ? hasAlerts || webhookBoards.length > 0 : webhookBoards.includes(board),
      deliveries: await listDeliveries(database, { board, limit }),
      now: clock.now(),
    }
    return c.json(list)
  }
}

/**
 * `POST /history/deliveries/:id/retry`: answers 202 once a message that failed waits to be sent again,
 * which it is within a second. Throws a ProblemError 409 for one that was sent or is being sent.
 */
export function retryFailedDelivery({
  options: { database, clock, settings },
  audit,
}: Pick<History, 'options' | 'audit'>): RouteHandler {
  return async (c) => {
    const id = c.req.param('id') ?? ''
    const retried = await retryDelivery(database, id, clock.now())
    if (retried !== undefined) {
      settings.wakeAlerts?.()
      audit.record({
        ...originOf(c),
        action: 'alert-retried',
        subject: retried.to,
        detail: retried.text,
      })
      return c.json({ id }, 202)
    }
    throw problemError(
      409,
      'nothing-to-retry',
      'Nothing to send again',
      "The message has been sent, is being sent right now, or isn't recorded.",
    )
  }
}
