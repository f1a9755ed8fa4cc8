import type { Logger } from 'pino'
import type { AuditOutcome } from '../../../protocol/audit-log.ts'
import { backOffMs } from '../../../protocol/back-off.ts'
import { type Clock, minuteMs } from '../../../protocol/clock.ts'
import {
  boardTile,
  type DueAlert,
  dueAlerts,
  leaveOutAlert,
  noteAttempt,
  takeAlert,
  wasNotified,
} from '../../store/alerts.ts'
import type { Database } from '../../store/database.ts'
import { type Audit, systemOrigin } from '../history/audit.ts'
import { type AlertRoute, isQuiet, type QuietHours } from './alert-route.ts'
import { patienceMs, type Webhook } from './webhook.ts'

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
 * Sends what is due in a channel each time that it is woken, one pass at a time and in the background; where the database fails
 * that is logged, and the next pass tries again. `ended` resolves when none is under way, `signal` lets none begin.
 */
export function startSender(
  options: AlertSenderOptions,
  channel: AlertChannel,
  signal: AbortSignal,
): { readonly wake: () => void; readonly ended: () => Promise<void> } {
  let isDue = false
  let running: Promise<void> | undefined
  const run = async (): Promise<void> => {
    try {
      while (isDue && !signal.aborted) {
        isDue = false
        const isMore = await sendAlerts(options, channel)
        isDue ||= isMore
      }
    } catch {
      options.logger.warn("sending alerts failed: the database isn't responding")
    }
    running = undefined
  }
  return {
    wake: () => {
      isDue = true
      running ??= run()
    },
    ended: async () => {
      await running
    },
  }
}

/**
 * Sends what is due, each message by the proxy that takes it first: one by one, or all at once after the
 * minutes of a digest or at the end of quiet hours. What is over is left out before each try. What cannot
 * be sent is retried with growing waits, six times and for an hour outside quiet hours at most: later it is
 * no news. Ends at the first time-out; true where more can be sent at once. Throws what the database throws.
 */
async function sendAlerts(options: AlertSenderOptions, channel: AlertChannel): Promise<boolean> {
  const { database, clock } = options
  const { board, route } = channel
  const { quiet, digestMinutes = 0 } = route ?? {}
  const now = clock.now()
  if (quiet !== undefined && isQuiet(quiet, now)) return false
  const due = await dueAlerts(database, now, {
    tile: board === undefined ? undefined : boardTile(board),
    route: route?.name ?? '',
    // Only whoever sees all that was held back knows what of it is over.
    most: mostDue,
  })
  const news = await leaveOut(database, due)
  const gathersMs = digestMinutes * minuteMs
  const isHeld = ({ createdAt }: DueAlert): boolean =>
    gathersMs > 0 || (quiet !== undefined && isQuiet(quiet, createdAt))
  const held = news.filter(isHeld)
  const isReady = held.some(
    ({ attempts, createdAt }) => attempts > 0 || createdAt + gathersMs <= now,
  )
  const batches = news.filter((alert) => !isHeld(alert)).map((alert) => [alert])
  // What some people have already goes to the others alone.
  for (const whom of new Set(isReady ? held.map(({ leftTo }) => leftTo) : [])) {
    const alike = held.filter(({ leftTo }) => leftTo === whom)
    for (let from = 0; from < alike.length; from += mostAtOnce) {
      batches.push(alike.slice(from, from + mostAtOnce))
    }
  }
  const [oldest] = due
  const newsSince =
    quiet === undefined ? now - newsMs : loudSince(quiet, now, oldest?.createdAt ?? now)
  /** Tiles of which something is still on its way: what came after that waits. */
  const behind = new Set<string>()
  for (const batch of batches.slice(0, mostAtOnce)) {
    const ready = batch.filter(({ tile }) => !behind.has(tile))
    if (ready.length === 0) continue
    const begunAt = clock.now()
    if (await send(options, channel, ready, newsSince - gathersMs)) continue
    if (clock.now() - begunAt > patienceMs / 2) return false
    for (const { tile } of ready) behind.add(tile)
  }
  return batches.length > mostAtOnce
}

/** A moment after which an hour has passed that was not quiet, or `earliest`, which may be later. */
function loudSince(quiet: QuietHours, now: number, earliest: number): number {
  let loudMs = 0
  let since = now
  while (since > earliest && loudMs < newsMs) {
    since -= minuteMs
    if (!isQuiet(quiet, since)) loudMs += minuteMs
  }
  return since
}

/**
 * Leaves out what is over: all but the last of each failure, and its recovery too where nothing of the failure was sent. Returns
 * the others.
 */
async function leaveOut(database: Database, due: readonly DueAlert[]): Promise<DueAlert[]> {
  const last = new Map(due.map((alert) => [spellOf(alert), alert]))
  const news: DueAlert[] = []
  /** Of which another proxy is sending something at this moment. */
  const busy = new Set<string>()
  for (const alert of due) {
    const spell = spellOf(alert)
    const isLast = last.get(spell) === alert
    const isNews = isLast && (alert.kind !== 'recovered' || (await wasNotified(database, alert)))
    if (isNews || busy.has(spell)) news.push(alert)
    else if (!(await leaveOutAlert(database, alert))) busy.add(spell)
  }
  return news
}

function spellOf({ tile, spell }: DueAlert): string {
  return `${tile} ${spell}`
}

/** Sends messages as one; whether all of them have ended, sent or given up. Those before `newsSince` are tried once at least. */
async function send(
  { database, audit, clock, random, logger }: AlertSenderOptions,
  { webhook, board, route }: AlertChannel,
  alerts: readonly DueAlert[],
  newsSince: number,
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
  const dropped = async (
    alert: DueAlert,
    reason: string,
    left: { readonly leftTo?: string } = {},
  ): Promise<void> => {
    await noteAttempt(database, alert, { ended: 'given-up', reason, ...left })
    logger.warn(`alert dropped: ${reason}`)
    audited(alert, `Not sent: ${reason.replace(/\.$/, '')}. `, 'failed')
  }
  const now = clock.now()
  const taken: DueAlert[] = []
  let areEnded = true
  // Together again, if they are tried again.
  const failures = Math.max(...alerts.map(({ attempts }) => attempts)) + 1
  const backOff = backOffMs({ failures, retryMs: 30_000, retryAfterMs: undefined, random })
  // Longer than an attempt takes: a proxy that ends in the middle of it leaves it to another one.
  const nextAt = now + backOff * failures
  for (const alert of alerts) {
    if (!(await takeAlert(database, alert, { now, nextAt }))) {
      areEnded = false
      continue
    }
    if (alert.attempts > 0 && alert.createdAt < newsSince) {
      await dropped(alert, "It couldn't be sent within an hour.")
    } else taken.push(alert)
  }
  if (taken.length === 0) return areEnded
  const delivery = await webhook.send(taken)
  const left = 'leftTo' in delivery ? { leftTo: delivery.leftTo } : {}
  for (const alert of taken) {
    if (delivery.kind === 'sent') {
      await noteAttempt(database, alert, { ended: 'sent', reason: null })
      audited(alert, '', 'done')
    } else if (delivery.kind === 'never' || alert.attempts + 1 >= mostAttempts) {
      await dropped(alert, delivery.reason, left)
    } else {
      areEnded = false
      await noteAttempt(database, alert, { ended: null, reason: delivery.reason, ...left })
      logger.warn(`sending an alert failed, retrying: ${delivery.reason}`)
    }
  }
  return areEnded
}

/** So many messages are sent in a round one by one, or together as one. */
const mostAtOnce = 20
const mostDue = 2000
const mostAttempts = 6
const newsMs = 60 * 60 * 1000
