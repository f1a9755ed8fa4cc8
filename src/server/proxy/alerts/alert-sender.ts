import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { peopleOf } from '../../../facts/tile-claim.ts'
import type { AuditOutcome } from '../../../protocol/audit-log.ts'
import { backOffMs } from '../../../protocol/back-off.ts'
import { type Clock, minuteMs, wait } from '../../../protocol/clock.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'
import {
  boardTile,
  type DueAlert,
  dueAlerts,
  isAwaited,
  leaveOutAlert,
  noteAttempt,
  takeAlert,
} from '../../store/alerts.ts'
import { claimsOfHash } from '../../store/claims.ts'
import type { Database } from '../../store/database.ts'
import { type Audit, systemOrigin } from '../history/audit.ts'
import { readMessage, written } from './alert-message.ts'
import { toldLater } from './alert-tile.ts'
import { isReminderDue } from './waiver-reminders.ts'
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

/** Whether a tile is watched, by its id. */
type IsWatched = (tile: string) => boolean

/**
 * Sends what is due in a channel each time that it is woken, one pass at a time and in the background; where the database fails
 * that is logged, and the next pass tries again. `ended` resolves when none is under way, `signal` lets none begin. Of a tile that
 * is no longer watched nobody knows whether it still fails.
 */
export function startSender(
  options: AlertSenderOptions,
  channel: AlertChannel,
  { signal, isWatched }: { readonly signal: AbortSignal; readonly isWatched: IsWatched },
): { readonly wake: () => void; readonly ended: () => Promise<void> } {
  let isDue = false
  /** Ends a pause that the receiver has asked for. */
  let resume: (() => void) | undefined
  signal.addEventListener('abort', () => resume?.(), { once: true })
  let running: Promise<void> | undefined
  const run = async (): Promise<void> => {
    try {
      while (isDue && resume === undefined && !signal.aborted) {
        isDue = false
        const againMs = await sendAlerts(options, channel, { signal, isWatched })
        if (againMs === 0) isDue = true
        else if (againMs !== undefined) pause(againMs)
      }
    } catch (error) {
      options.logger.warn({ reason: reasonOf(error) }, "alerts couldn't be sent, trying again")
    }
    running = undefined
  }
  const pause = (ms: number): void => {
    if (signal.aborted) return
    resume = options.clock.after(ms, () => {
      resume = undefined
      wake()
    })
  }
  const wake = (): void => {
    isDue = true
    if (resume === undefined) running ??= run()
  }
  return {
    wake,
    ended: async () => {
      await running
    },
  }
}

/**
 * Sends what is due, each message by the proxy that takes it first: one by one, or all at once after the
 * minutes of a digest, which begin with the first message of a failure, or at the end of quiet hours. What is over is left out
 * before each try. What cannot be sent is retried with growing waits, six times and for an hour outside quiet hours at most:
 * later it is no news. Ends at the first time-out, and where the receiver asks to wait. Returns after how many ms more can be
 * sent; undefined where nothing can. Throws what the database throws.
 */
async function sendAlerts(
  options: AlertSenderOptions,
  channel: AlertChannel,
  { signal, isWatched }: { readonly signal: AbortSignal; readonly isWatched: IsWatched },
): Promise<number | undefined> {
  const { database, clock } = options
  const { webhook, board, route } = channel
  const { quiet, digestMinutes = 0 } = route ?? {}
  const now = clock.now()
  if (quiet !== undefined && isQuiet(quiet, now)) return undefined
  const due = await dueAlerts(database, now, {
    tile: board === undefined ? undefined : boardTile(board),
    route: route?.name ?? '',
    // Only whoever sees all that was held back knows what of it is over.
    most: mostDue,
  })
  const gathersMs = digestMinutes * minuteMs
  const isHeld = ({ createdAt }: DueAlert): boolean =>
    gathersMs > 0 || (quiet !== undefined && isQuiet(quiet, createdAt))
  const isReady = due.some(
    (alert) => isHeld(alert) && (alert.attempts > 0 || alert.createdAt + gathersMs <= now),
  )
  // What is still gathered shows by its first message when it is ready.
  const looked = due.filter((alert) => isReady || !isHeld(alert))
  const news = await anew(
    database,
    await leaveOut(database, looked, { now, isWatched }),
    now,
    isHeld,
  )
  const held = news.filter(isHeld)
  const batches = news.filter((alert) => !isHeld(alert)).map((alert) => [alert])
  // What some people have already goes to the others alone.
  for (const whom of new Set(isReady ? held.map(({ leftTo }) => leftTo) : [])) {
    const alike = held.filter(({ leftTo }) => leftTo === whom)
    while (alike.length > 0) {
      const most = alike.slice(0, mostAtOnce)
      batches.push(alike.splice(0, webhook.fitting?.(most) ?? most.length))
    }
  }
  const [oldest] = due
  const newsSince =
    quiet === undefined ? now - newsMs : loudSince(quiet, now, oldest?.createdAt ?? now)
  /** Tiles of which something is still on its way: what came after that waits. */
  const behind = new Set<string>()
  for (const batch of batches.slice(0, mostAtOnce)) {
    // What is left is sent by another process, or by this one once it has started anew.
    if (signal.aborted) return undefined
    const ready = batch.filter(({ tile }) => !behind.has(tile))
    if (ready.length === 0) continue
    const begunAt = clock.now()
    const before = newsSince - gathersMs
    const areEnded = await send(options, channel, ready, { newsSince: before, signal })
    if (typeof areEnded === 'number') return areEnded
    if (areEnded) continue
    if (clock.now() - begunAt > patienceMs / 2) return undefined
    for (const { tile } of ready) behind.add(tile)
  }
  return batches.length > mostAtOnce ? 0 : undefined
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
async function leaveOut(
  database: Database,
  due: readonly DueAlert[],
  { now, isWatched }: { readonly now: number; readonly isWatched: IsWatched },
): Promise<DueAlert[]> {
  const last = new Map(due.map((alert) => [spellOf(alert), alert]))
  const news: DueAlert[] = []
  /** Of which another proxy is sending something at this moment. */
  const busy = new Set<string>()
  for (const alert of due) {
    const spell = spellOf(alert)
    const isLast = last.get(spell) === alert
    const isGone = alert.kind.startsWith('red:') && !isWatched(alert.tile)
    const isNews =
      isLast &&
      !isGone &&
      (alert.kind !== 'recovered' || (await isAwaited(database, alert))) &&
      (await isReminderDue(database, alert, now))
    if (isNews || busy.has(spell)) news.push(alert)
    else {
      const isReplaced = !isLast && last.get(spell)?.kind !== 'recovered'
      const reason = isReplaced
        ? 'A later message replaced it.'
        : isLast && isGone
          ? 'Its tile is no longer watched.'
          : 'It was over before it could be sent.'
      if (!(await leaveOutAlert(database, alert, reason))) busy.add(spell)
    }
  }
  return news
}

/**
 * What was held back as it stands now: who is on a failure, and how long it has lasted. That a tile fails which sleeps by now
 * is left out.
 */
async function anew(
  database: Database,
  alerts: readonly DueAlert[],
  now: number,
  isHeld: (alert: DueAlert) => boolean,
): Promise<DueAlert[]> {
  const news: DueAlert[] = []
  for (const alert of alerts) {
    const [, redFor] = /^red:(\d+)$/.exec(alert.kind) ?? []
    if (redFor === undefined || !isHeld(alert)) {
      news.push(alert)
      continue
    }
    const message = readMessage(alert)
    const claims = await claimsOfHash(database, alert.tile)
    const state = { status: 'failing', since: message.since, isOpen: false } as const
    const people = peopleOf(claims, state, now)
    if (people.sleep && (await leaveOutAlert(database, alert, 'The tile is asleep.'))) continue
    const minutes = Number(redFor) + Math.floor((now - alert.createdAt) / minuteMs)
    news.push({ ...alert, ...written(toldLater(message, people, minutes)) })
  }
  return news
}

function spellOf({ tile, spell }: DueAlert): string {
  return `${tile} ${spell}`
}

/**
 * Sends messages as one; whether all of them have ended, sent or given up, or for how many ms the receiver takes none. Those
 * before `newsSince` are tried once at least.
 */
async function send(
  { database, audit, clock, random, logger }: AlertSenderOptions,
  { webhook, board, route }: AlertChannel,
  alerts: readonly DueAlert[],
  { newsSince, signal }: { readonly newsSince: number; readonly signal: AbortSignal },
): Promise<boolean | number> {
  const subject =
    board !== undefined
      ? `webhook of board ${board}`
      : route !== undefined
        ? `alert route ${route.name}`
        : 'webhook'
  /** What was sent and isn't noted would be sent again: while the database is away, nobody else can take it either. */
  const note = async (alert: DueAlert, how: Parameters<typeof noteAttempt>[2]): Promise<void> => {
    for (let isFirst = true; ; isFirst = false) {
      try {
        await noteAttempt(database, alert, how)
        return
      } catch (error) {
        if (signal.aborted) throw error
        if (isFirst) {
          const fields = { receiver: subject, reason: reasonOf(error) }
          logger.warn(fields, "what became of an alert couldn't be noted, trying again")
        }
        await wait(clock, noteAgainMs, signal)
      }
    }
  }
  const audited = ({ text }: DueAlert, before: string, outcome: AuditOutcome): void => {
    const detail = `${before}${text}`
    audit.record({ ...systemOrigin, action: 'alert-sent', subject, detail, outcome })
  }
  const dropped = async (
    alert: DueAlert,
    reason: string,
    left: { readonly leftTo?: string } = {},
  ): Promise<void> => {
    await note(alert, { ended: 'given-up', reason, ...left })
    logger.warn({ receiver: subject }, `alert dropped: ${reason}`)
    audited(alert, `Not sent: ${reason.replace(/\.$/, '')}. `, 'failed')
  }
  const now = clock.now()
  const taken: DueAlert[] = []
  let areEnded = true
  // Together again, if they are tried again.
  const failures = Math.max(...alerts.map(({ attempts }) => attempts)) + 1
  const backOff = backOffMs({ failures, retryMs: 30_000, retryAfterMs: undefined, random })
  const nextAt = now + backOff * failures
  // Longer than an attempt takes: a proxy that ends in the middle of it leaves it to another one.
  const leftAt = Math.max(nextAt, now + 1.5 * (webhook.longestMs ?? patienceMs))
  for (const alert of alerts) {
    if (!(await takeAlert(database, alert, { now, nextAt: leftAt }))) {
      areEnded = false
      continue
    }
    if (alert.attempts > 0 && alert.createdAt < newsSince) {
      await dropped(alert, "It couldn't be sent within an hour.")
    } else taken.push(alert)
  }
  if (taken.length === 0) return areEnded
  const messages = taken.map((alert) => ({ ...alert, id: idOf(alert) }))
  const delivery = await webhook.send(messages, signal)
  const left = 'leftTo' in delivery ? { leftTo: delivery.leftTo } : {}
  const pauseMs = 'pauseMs' in delivery ? delivery.pauseMs : undefined
  for (const alert of taken) {
    if (delivery.kind === 'sent') {
      await note(alert, { ended: 'sent', reason: null })
      audited(alert, '', 'done')
    } else if (pauseMs !== undefined && alert.createdAt >= newsSince) {
      const { reason } = delivery
      const again = { attempts: alert.attempts, nextAt: clock.now() + pauseMs }
      await note(alert, { ended: null, reason, again })
    } else if (delivery.kind === 'never' || alert.attempts + 1 >= mostAttempts) {
      await dropped(alert, delivery.reason, left)
    } else {
      areEnded = false
      const again = { attempts: alert.attempts + 1, nextAt }
      await note(alert, { ended: null, reason: delivery.reason, again, ...left })
      logger.warn({ receiver: subject }, `sending an alert failed, retrying: ${delivery.reason}`)
    }
  }
  return pauseMs ?? areEnded
}

/** Of a message, whenever and by whichever process it is sent; says nothing of what it is about. */
function idOf({ tile, spell, kind }: DueAlert): string {
  return createHash('sha256').update(`${tile} ${spell} ${kind}`).digest('hex').slice(0, 32)
}

/** So often it is tried to note what became of a message, ms. */
const noteAgainMs = 1000
/** So many messages are sent in a round one by one, or together as one. */
const mostAtOnce = 20
const mostDue = 2000
const mostAttempts = 6
const newsMs = 60 * 60 * 1000
