import type { Clock } from '../../../protocol/clock.ts'
import type { Feed } from '../live/feed-state.ts'
import { withTimeLimit } from '../core/response.ts'
import { isSameTrust, type Trust, trustOf } from './wall-trust.ts'

/** What watches over a wall is made with. */
export interface WallWatchOptions {
  readonly feed: Feed
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly isOnline: () => boolean
}

/** Whether a wall can be believed, as a store in the manner of `Feed`. */
export interface WallWatch {
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => Trust
}

const lookMs = 1000
/** A connection that is taken up again at once is no silence: the proxy ends each after a while. */
const graceMs = 4000
const askEveryMs = 5000
const askLimitMs = 4000
/** Until a feed that gave up is asked to try again, ms: whole again within 15 s of recovery. */
const reviveEveryMs = 9000

/**
 * Watches the feed each second, asks the proxy for a sign of life while it is silent, and has the
 * feed try again as soon as there is one: nobody stands in front of a wall to press a button.
 */
export function createWallWatch({ feed, fetch, clock, isOnline }: WallWatchOptions): WallWatch {
  const listeners = new Set<() => void>()
  let answers: boolean | undefined
  let trust: Trust = trustOf(facts())
  let doubtSince: number | undefined
  let askedAt = -Infinity
  let revivedAt = -Infinity
  let isAsking = false
  let cancel: (() => void) | undefined

  function facts() {
    return { view: feed.getSnapshot(), now: clock.now(), isOnline: isOnline(), answers }
  }

  function look(): void {
    cancel = clock.after(lookMs, look)
    const now = clock.now()
    const judged = trustOf(facts())
    doubtSince = judged.is === 'live' ? undefined : (doubtSince ?? now)
    if (judged.is === 'live') answers = undefined
    else if (needsSign(judged) && !isAsking && now - askedAt >= askEveryMs) void ask()
    const isGrace = trust.is === 'live' && doubtSince !== undefined && now - doubtSince < graceMs
    if (isGrace || isSameTrust(trust, judged)) return
    trust = judged
    for (const listener of [...listeners]) listener()
  }

  async function ask(): Promise<void> {
    isAsking = true
    askedAt = clock.now()
    try {
      const response = await withTimeLimit(clock, askLimitMs, undefined, (signal) =>
        fetch('/healthz', { signal, cache: 'no-store', redirect: 'error' }),
      )
      answers = response.ok
    } catch {
      answers = false
    } finally {
      isAsking = false
    }
    if (answers) revive()
  }

  function revive(): void {
    const { connection } = feed.getSnapshot()
    const now = clock.now()
    const isWaiting = connection.state === 'retrying' && connection.nextAttemptAt > now + lookMs
    const hasGivenUp = ['signed-out', 'refused', 'complete'].includes(connection.state)
    if (
      (!isWaiting && !hasGivenUp) ||
      now - revivedAt < (isWaiting ? askEveryMs - lookMs : reviveEveryMs)
    )
      return
    revivedAt = now
    feed.reconnect()
  }

  return {
    subscribe: (listener) => {
      const entry = (): void => {
        listener()
      }
      listeners.add(entry)
      if (cancel === undefined) look()
      return () => {
        listeners.delete(entry)
        if (listeners.size > 0) return
        cancel?.()
        cancel = undefined
      }
    },
    getSnapshot: () => trust,
  }
}

/** A proxy that tells of its upstream's silence is not silent itself. */
function needsSign(trust: Trust): boolean {
  return trust.is === 'silent' && trust.side !== 'upstream'
}
