import type { Logger } from 'pino'
import type { AuditOutcome } from '../../../protocol/audit-log.ts'
import { backOffMs } from '../../../protocol/back-off.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { boardTile, type DueAlert, dueAlerts, noteAttempt, takeAlert } from '../../store/alerts.ts'
import type { Database } from '../../store/database.ts'
import { type Audit, systemOrigin } from '../history/audit.ts'
import type { Webhook } from './webhook.ts'

/** What telling people stands on. */
export interface AlertSenderOptions {
  readonly database: Database
  readonly audit: Audit
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
}

/** Where messages go: those about one board, or all that are about none. */
export interface AlertChannel {
  readonly webhook: Webhook
  readonly board?: string
}

/**
 * Sends what is due in a channel, each message by the proxy that takes it first. What cannot be sent is
 * retried with growing waits, six times and for an hour at most: later it is no news. Throws what the
 * database throws.
 */
export async function sendAlerts(
  options: AlertSenderOptions,
  channel: AlertChannel,
): Promise<void> {
  const { database, clock } = options
  const tile = channel.board === undefined ? undefined : boardTile(channel.board)
  for (const alert of await dueAlerts(database, clock.now(), tile)) {
    await sendOne(options, channel, alert)
  }
}

async function sendOne(
  { database, audit, clock, random, logger }: AlertSenderOptions,
  { webhook, board }: AlertChannel,
  alert: DueAlert,
): Promise<void> {
  const subject = board === undefined ? 'webhook' : `webhook of board ${board}`
  const audited = (detail: string, outcome: AuditOutcome): void => {
    audit.record({ ...systemOrigin, action: 'alert-sent', subject, detail, outcome })
  }
  const dropped = async (reason: string): Promise<void> => {
    await noteAttempt(database, alert, { ended: 'given-up', reason })
    logger.warn(`alert dropped: ${reason}`)
    audited(`Not sent: ${reason.replace(/\.$/, '')}. ${alert.text}`, 'failed')
  }
  const now = clock.now()
  const failures = alert.attempts + 1
  const backOff = backOffMs({ failures, retryMs: 30_000, retryAfterMs: undefined, random })
  // Longer than an attempt takes: a proxy that ends in the middle of it leaves it to another one.
  const nextAt = now + backOff * failures
  if (!(await takeAlert(database, alert, { now, nextAt }))) return
  if (now - alert.createdAt > newsMs) {
    await dropped('sending failed for an hour')
    return
  }
  const delivery = await webhook.send(alert.text)
  if (delivery.kind === 'sent') {
    await noteAttempt(database, alert, { ended: 'sent', reason: null })
    audited(alert.text, 'done')
  } else if (delivery.kind === 'never' || failures >= mostAttempts) {
    await dropped(delivery.reason)
  } else {
    await noteAttempt(database, alert, { ended: null, reason: delivery.reason })
    logger.warn(`sending an alert failed, retrying: ${delivery.reason}`)
  }
}

const mostAttempts = 6
const newsMs = 60 * 60 * 1000
