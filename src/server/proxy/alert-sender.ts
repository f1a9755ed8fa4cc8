import type { Logger } from 'pino'
import { backOffMs } from '../../protocol/back-off.ts'
import type { Clock } from '../../protocol/clock.ts'
import type { Database } from '../store/database.ts'
import { type DueAlert, dueAlerts, endAlert, forgetAlerts, takeAlert } from '../store/alerts.ts'
import type { Webhook } from './webhook.ts'

/** What telling people stands on. */
export interface AlertSenderOptions {
  readonly database: Database
  readonly webhook: Webhook
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
}

/**
 * Tells what is due, each by whichever proxy takes it first. What cannot be told is tried again with
 * growing waits, six times and for an hour at most: later it is no news. Throws what the database
 * throws.
 */
export async function sendAlerts(options: AlertSenderOptions): Promise<void> {
  const { database, clock } = options
  await forgetAlerts(database, clock.now() - keptMs)
  for (const alert of await dueAlerts(database, clock.now())) await sendOne(options, alert)
}

async function sendOne(options: AlertSenderOptions, alert: DueAlert): Promise<void> {
  const { database, webhook, clock, random, logger } = options
  const now = clock.now()
  const failures = alert.attempts + 1
  const backOff = backOffMs({ failures, retryMs: 30_000, retryAfterMs: undefined, random })
  // Longer than an attempt takes: a proxy that ends in the middle of it leaves it to another one.
  if (!(await takeAlert(database, alert, now + backOff * failures))) return
  if (now - alert.createdAt > newsMs) {
    await endAlert(database, alert, 'given-up')
    logger.warn('an alert was given up: it could not be sent for an hour')
    return
  }
  const delivery = await webhook.send(alert.text)
  if (delivery.kind === 'sent') {
    await endAlert(database, alert, 'sent')
  } else if (delivery.kind === 'never' || failures >= mostAttempts) {
    await endAlert(database, alert, 'given-up')
    logger.warn(`an alert was given up: ${delivery.reason}`)
  } else {
    logger.warn(`an alert could not be sent, and will be tried again: ${delivery.reason}`)
  }
}

const mostAttempts = 6
const newsMs = 60 * 60 * 1000
const keptMs = 90 * 24 * 60 * 60 * 1000
