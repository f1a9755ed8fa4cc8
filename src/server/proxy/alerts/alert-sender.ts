import type { Logger } from 'pino'
import type { AuditOutcome } from '../../../protocol/audit-log.ts'
import { backOffMs } from '../../../protocol/back-off.ts'
import { type Clock, minuteMs } from '../../../protocol/clock.ts'
import { boardTile, type DueAlert, dueAlerts, noteAttempt, takeAlert } from '../../store/alerts.ts'
import type { Database } from '../../store/database.ts'
import { type Audit, systemOrigin } from '../history/audit.ts'
import { type AlertRoute, isQuiet } from './alert-route.ts'
import type { Webhook } from './webhook.ts'

/** What notifying people stands on. */
export interface AlertSenderOptions {
  readonly database: Database
  readonly audit: Audit
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
}

/** Where messages go: those about one board, those of one route, or all that are of neither. */
export interface AlertChannel {
  readonly webhook: Webhook
  readonly board?: string
  readonly route?: Pick<AlertRoute, 'name' | 'quiet' | 'digestMinutes'>
}

/**
 * Sends what is due in a channel, each message by the proxy that takes it first: one by one, or all at
 * once after the minutes of a digest or at the end of quiet hours. What cannot be sent is retried with
 * growing waits, six times and for an hour at most: later it is no news. Throws what the database
 * throws.
 */
export async function sendAlerts(
  options: AlertSenderOptions,
  channel: AlertChannel,
): Promise<void> {
  const { database, clock } = options
  const { board, route } = channel
  const now = clock.now()
  if (route?.quiet !== undefined && isQuiet(route.quiet, now)) return
  const gathersMs = (route?.digestMinutes ?? 0) * minuteMs
  const due = await dueAlerts(database, now, {
    tile: board === undefined ? undefined : boardTile(board),
    route: route?.name ?? '',
    // Only whoever sees all that was held back knows what of it is over.
    most: gathersMs > 0 || route?.quiet !== undefined ? mostHeld : mostAtOnce,
  })
  const wasHeld = (alert: DueAlert): boolean =>
    alert.attempts === 0 &&
    (gathersMs > 0 || (route?.quiet !== undefined && isQuiet(route.quiet, alert.createdAt)))
  const held = due.filter(wasHeld)
  const others = due.filter((alert) => !wasHeld(alert))
  /** Tiles of which something is still on its way: what came after that waits. */
  const behind = new Set<string>()
  for (const alert of others.slice(0, mostAtOnce)) {
    if (behind.has(alert.tile)) continue
    if (!(await send(options, channel, [alert]))) behind.add(alert.tile)
  }
  const [oldest] = held
  if (oldest === undefined || oldest.createdAt + gathersMs > now) return
  const old = outdated(held)
  for (const alert of old) {
    const reason = 'It was over before it could be sent.'
    await noteAttempt(database, alert, { ended: 'left-out', reason })
  }
  const news = held.filter((alert) => !old.has(alert))
  for (let from = 0; from < news.length; from += mostAtOnce) {
    await send(options, channel, news.slice(from, from + mostAtOnce))
  }
}

/** Of what was held back: all but the last of each failure, and what has recovered meanwhile with its recovery. */
function outdated(held: readonly DueAlert[]): ReadonlySet<DueAlert> {
  const last = new Map<string, DueAlert>()
  const begun = new Set<string>()
  const out = new Set<DueAlert>()
  for (const alert of held) {
    const spell = `${alert.tile} ${alert.spell}`
    const before = last.get(spell)
    if (before !== undefined) out.add(before)
    if (alert.kind === 'recovered' && begun.has(spell)) out.add(alert)
    if (alert.kind !== 'recovered') begun.add(spell)
    last.set(spell, alert)
  }
  return out
}

/** Sends messages as one; whether all of them have ended, sent or given up. */
async function send(
  { database, audit, clock, random, logger }: AlertSenderOptions,
  { webhook, board, route }: AlertChannel,
  alerts: readonly DueAlert[],
): Promise<boolean> {
  const subject =
    board !== undefined
      ? `webhook of board ${board}`
      : route !== undefined
        ? `alert route ${route.name}`
        : 'webhook'
  const audited = ({ text }: DueAlert, before: string, outcome: AuditOutcome): void => {
    const detail = `${before}${text}`
    audit.record({ ...systemOrigin, action: 'alert-sent', subject, detail, outcome })
  }
  const dropped = async (alert: DueAlert, reason: string): Promise<void> => {
    await noteAttempt(database, alert, { ended: 'given-up', reason })
    logger.warn(`alert dropped: ${reason}`)
    audited(alert, `Not sent: ${reason.replace(/\.$/, '')}. `, 'failed')
  }
  const now = clock.now()
  const taken: DueAlert[] = []
  let areEnded = true
  for (const alert of alerts) {
    const failures = alert.attempts + 1
    const backOff = backOffMs({ failures, retryMs: 30_000, retryAfterMs: undefined, random })
    // Longer than an attempt takes: a proxy that ends in the middle of it leaves it to another one.
    const nextAt = now + backOff * failures
    if (!(await takeAlert(database, alert, { now, nextAt }))) {
      areEnded = false
      continue
    }
    const wasHeld = alert.attempts === 0 && route !== undefined
    if (!wasHeld && now - alert.createdAt > newsMs) {
      await dropped(alert, 'sending failed for an hour')
    } else taken.push(alert)
  }
  if (taken.length === 0) return areEnded
  const delivery = await webhook.send(taken)
  for (const alert of taken) {
    if (delivery.kind === 'sent') {
      await noteAttempt(database, alert, { ended: 'sent', reason: null })
      audited(alert, '', 'done')
    } else if (delivery.kind === 'never' || alert.attempts + 1 >= mostAttempts) {
      await dropped(alert, delivery.reason)
    } else {
      areEnded = false
      await noteAttempt(database, alert, { ended: null, reason: delivery.reason })
      logger.warn(`sending an alert failed, retrying: ${delivery.reason}`)
    }
  }
  return areEnded
}

/** So many messages are sent in a round one by one, or together as one. */
const mostAtOnce = 20
const mostHeld = 2000
const mostAttempts = 6
const newsMs = 60 * 60 * 1000
