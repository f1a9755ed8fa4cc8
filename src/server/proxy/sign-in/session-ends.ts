import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'
import { hearsOthers, type Notices } from '../../live-log/live-log.ts'
import type { Database } from '../../store/database.ts'
import { endedSessions, renewals } from '../../store/sessions.ts'

/** Knows of every session that ended, here or at another proxy on the same database. */
export interface SessionEnds {
  /**
   * A signal that aborts when the session ends, at `until` at the latest, and two minutes after its
   * last token where it isn't renewed: `tokenUntil` is when this one ends (both epoch ms). Undefined
   * where the session has ended already.
   */
  readonly signalOf: (
    id: string,
    until: number,
    tokenUntil: number,
  ) => Promise<AbortSignal | undefined>
  /** Sessions ended here: their signals abort at once, and at other proxies soon after. */
  readonly announce: (ids: readonly string[]) => void
  /** Ends the watch. */
  readonly close: () => void
}

/** A session that is in use. */
interface OpenSession {
  readonly end: AbortController
  until: number
  /** When the last of its tokens that is known of ends. */
  tokenUntil: number
}

/** So often other proxies' ends are looked for: a stream ends within a second of its session. */
const lookMs = 500
/** So often while the other proxies give notice. */
const heardLookMs = 5000
const endedNotice = 'sessions-ended'
/** The clocks of two proxies may differ by so much. */
const skewMs = 2 * 60_000
/** A page renews when its token has ended, soon: its streams aren't cut meanwhile. */
const renewMs = 2 * 60_000
/** So many sessions are looked up at once. */
const mostLookedUp = 500

/**
 * Watches the database while there are open sessions: at each notice of another proxy, and from time
 * to time. An ended one is remembered for `rememberMs`,
 * which is how long a token is good. While the database is away nothing ends but
 * what is over by the clock.
 */
export function createSessionEnds(options: {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly log: Notices
  readonly rememberMs: number
}): SessionEnds {
  const { database, clock, logger, log, rememberMs } = options
  const open = new Map<string, OpenSession>()
  /** When each ended, epoch ms. */
  const ended = new Map<string, number>()
  let lookedAt = clock.now() - rememberMs
  let looking: Promise<void> | undefined
  let cancelTimer: (() => void) | undefined
  let isClosed = false
  let isAway = false

  const end = (id: string, at: number): void => {
    ended.set(id, at)
    open.get(id)?.end.abort()
    open.delete(id)
  }

  /** Whatever was begun with a token ends soon after it, unless the session was renewed at any proxy. */
  const endUnrenewed = async (now: number): Promise<void> => {
    const due = [...open].filter(([, one]) => one.tokenUntil + renewMs <= now)
    if (due.length === 0) return
    const some = due.slice(0, mostLookedUp)
    const renewedAt = await renewals(
      database,
      some.map(([id]) => id),
    )
    for (const [id, one] of some) {
      one.tokenUntil = Math.max(one.tokenUntil, (renewedAt.get(id) ?? 0) + rememberMs)
      if (one.tokenUntil + renewMs > now) continue
      one.end.abort()
      open.delete(id)
    }
  }

  const look = async (): Promise<void> => {
    const now = clock.now()
    try {
      for (const { id, endedAt } of await endedSessions(database, lookedAt - skewMs)) {
        if (!ended.has(id)) end(id, endedAt)
      }
      lookedAt = now
      await endUnrenewed(now)
      isAway = false
    } catch (error) {
      if (!isAway)
        logger.warn({ reason: reasonOf(error) }, 'looking for sessions that ended elsewhere failed')
      isAway = true
    }
    for (const [id, { until, end: over }] of open) {
      if (until > now) continue
      over.abort()
      open.delete(id)
    }
    for (const [id, at] of ended) if (at < now - rememberMs - 2 * skewMs) ended.delete(id)
  }
  const lookOnce = (): Promise<void> =>
    (looking ??= look().finally(() => {
      looking = undefined
    }))
  const watch = (): void => {
    if (cancelTimer !== undefined || isClosed || open.size === 0) return
    cancelTimer = clock.after(hearsOthers(log) ? heardLookMs : lookMs, () => {
      void lookOnce().finally(() => {
        cancelTimer = undefined
        watch()
      })
    })
  }
  /** A look that has begun may have come too early. */
  const lookAnew = async (): Promise<void> => {
    await looking
    if (open.size > 0 && !isClosed) await lookOnce()
  }
  const stops = [
    log.onNotice(endedNotice, () => void lookAnew()),
    log.onReturn(() => void lookAnew()),
  ]

  return {
    signalOf: async (id, until, tokenUntil) => {
      // Nobody has looked lately where no session was open. A database that is away delays nobody.
      if (open.size === 0) await Promise.race([lookOnce(), wait(clock, 2 * lookMs)])
      if (ended.has(id)) return undefined
      const known = open.get(id) ?? { end: new AbortController(), until, tokenUntil }
      known.until = Math.max(known.until, until)
      known.tokenUntil = Math.max(known.tokenUntil, tokenUntil)
      if (!open.has(id)) {
        // Every stream of the session listens to it.
        setMaxListeners(0, known.end.signal)
        open.set(id, known)
      }
      watch()
      return known.end.signal
    },
    announce: (ids) => {
      for (const id of ids) end(id, clock.now())
      if (ids.length > 0) log.notify(endedNotice, null)
    },
    close: () => {
      isClosed = true
      for (const stop of stops) stop()
      cancelTimer?.()
    },
  }
}
