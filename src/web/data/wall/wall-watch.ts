import type { Clock } from '../../../protocol/clock.ts'
import { withTimeLimit } from '../core/response.ts'
import { createStore, type Readable } from '../core/store.ts'
import type { Feed, FeedView } from '../live/feed-state.ts'

export interface WallWatchOptions {
  readonly feed: Feed
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly isOnline: () => boolean
}

const lookMs = 1000
/** A connection that is taken up again at once is no silence: the proxy ends each after a while. */
const graceMs = 4000
const requestEveryMs = 5000
const requestLimitMs = 4000
/** Until a feed that gave up is made to try again, ms: whole again within 15 s of recovery. */
const reviveEveryMs = 9000

/**
 * Watches the feed each second, requests a sign of life from the proxy while it is silent, and has the
 * feed try again as soon as there is one: nobody stands in front of a wall to press a button.
 */
export function createWallWatch({
  feed,
  fetch,
  clock,
  isOnline,
}: WallWatchOptions): Readable<Trust> {
  let answers: boolean | undefined
  let doubtSince: number | undefined
  let requestedAt = -Infinity
  let revivedAt = -Infinity
  let isRequesting = false
  const store = createStore(judge(), { clock, open: look })

  function judge(): Trust {
    return trustOf({ view: feed.getSnapshot(), now: clock.now(), isOnline: isOnline(), answers })
  }

  /** Looks now and each second; returns what ends that. */
  function look(): () => void {
    let cancel = clock.after(lookMs, function again() {
      cancel = clock.after(lookMs, again)
      update()
    })
    update()
    return () => {
      cancel()
    }
  }

  function update(): void {
    const now = clock.now()
    const judged = judge()
    doubtSince = judged.is === 'live' ? undefined : (doubtSince ?? lostSince(judged, now))
    if (judged.is === 'live') answers = undefined
    else if (needsSign(judged) && !isRequesting && now - requestedAt >= requestEveryMs) {
      void requestSign()
    }
    const trust = store.getSnapshot()
    const isGrace = trust.is === 'live' && doubtSince !== undefined && now - doubtSince < graceMs
    const next = withRetry(judged)
    if (!isGrace && !isSameTrust(trust, next)) store.set(next)
  }

  function withRetry(trust: Trust): Trust {
    if (trust.is === 'live' || !needsSign(trust) || isRequesting) return trust
    return { ...trust, retryAt: requestedAt + requestEveryMs }
  }

  /** What the proxy has missed for a while needs no grace: it waited itself. */
  function lostSince(judged: Trust, now: number): number {
    const { upstream, clockDifference } = feed.getSnapshot()
    const isUpstream = judged.is === 'silent' && judged.side === 'upstream'
    return isUpstream && upstream !== undefined
      ? Math.min(now, upstream.since - clockDifference)
      : now
  }

  async function requestSign(): Promise<void> {
    isRequesting = true
    requestedAt = clock.now()
    try {
      const response = await withTimeLimit(clock, requestLimitMs, undefined, (signal) =>
        fetch('/healthz', { signal, cache: 'no-store', redirect: 'error' }),
      )
      answers = response.ok
    } catch {
      answers = false
    } finally {
      isRequesting = false
    }
    if (answers) revive()
  }

  function revive(): void {
    const { connection } = feed.getSnapshot()
    const now = clock.now()
    const isWaiting = connection.state === 'retrying' && connection.nextAttemptAt > now + lookMs
    const hasGivenUp = ['signed-out', 'refused', 'complete'].includes(connection.state)
    const pauseMs = isWaiting ? requestEveryMs - lookMs : reviveEveryMs
    if ((!isWaiting && !hasGivenUp) || now - revivedAt < pauseMs) return
    revivedAt = now
    feed.reconnect()
  }

  return store
}

/** A proxy that reports its upstream's silence is not silent itself. */
function needsSign(trust: Trust): boolean {
  return trust.is === 'silent' && trust.side !== 'upstream'
}

/**
 * Which side does not answer, so that what a wall shows may be old.
 * - `starting`: nothing has been heard yet
 * - `network`: this device has no network
 * - `proxy`: the proxy does not answer, or has fallen silent
 * - `session`: the proxy answers and gives this screen no session
 * - `upstream`: the proxy answers and has lost the build server
 * - `none`: no build server is configured
 * - `ended`: the build server or the proxy said that nothing more will come
 */
export type SilentSide =
  | 'starting'
  | 'network'
  | 'proxy'
  | 'session'
  | 'upstream'
  | 'none'
  | 'ended'

export type Trust =
  | { readonly is: 'live' }
  | {
      readonly is: 'silent'
      readonly side: SilentSide
      /** When that side was last heard, epoch ms by this browser's clock; undefined: never. */
      readonly since: number | undefined
      /** What was said of it, as a sentence. */
      readonly reason: string | undefined
      /** When the proxy is tried again, epoch ms by this browser's clock; left out where it is not tried, or right now. */
      readonly retryAt?: number
    }

export interface TrustFacts {
  readonly view: Pick<FeedView, 'connection' | 'upstream' | 'lastHeardAt' | 'clockDifference'>
  readonly now: number
  readonly isOnline: boolean
  /** Whether the proxy responded to the last request; undefined where there was none. */
  readonly answers: boolean | undefined
}

/** The proxy sends a heartbeat every 15 s: after two have been missed, quiet is silence. */
const silentAfterMs = 31_000

/** Judges from the near side to the far one: who cannot hear the proxy knows nothing of the server. */
export function trustOf({ view, now, isOnline, answers }: TrustFacts): Trust {
  const { connection, lastHeardAt } = view
  if (!isOnline) return silent('network', lastHeardAt, undefined)
  switch (connection.state) {
    case 'idle':
    case 'connecting':
      return lastHeardAt === undefined && answers !== false
        ? silent('starting', undefined, undefined)
        : silent('proxy', lastHeardAt, undefined)
    case 'retrying':
    case 'refused':
      return silent('proxy', lastHeardAt, connection.reason)
    case 'signed-out':
      return silent('session', lastHeardAt, connection.reason)
    case 'complete':
      return silent('ended', lastHeardAt, undefined)
    case 'catching-up':
    case 'live':
      return lastHeardAt !== undefined && now - lastHeardAt > silentAfterMs
        ? silent('proxy', lastHeardAt, undefined)
        : trustInUpstream(view)
  }
}

function trustInUpstream({ upstream, clockDifference }: TrustFacts['view']): Trust {
  if (upstream === undefined) return silent('starting', undefined, undefined)
  // The proxy speaks by its own clock.
  const heardAt = upstream.lastHeardAt === null ? undefined : upstream.lastHeardAt - clockDifference
  switch (upstream.upstream) {
    case 'live':
    case 'polling':
      return { is: 'live' }
    case 'connecting':
      return heardAt === undefined
        ? silent('starting', undefined, undefined)
        : silent('upstream', heardAt, upstream.message)
    case 'retrying':
    case 'refused':
      return silent('upstream', heardAt, upstream.message)
    case 'complete':
      return silent('ended', heardAt, upstream.message)
    case 'none':
      return silent('none', undefined, upstream.message)
  }
}

function silent(side: SilentSide, since: number | undefined, reason: string | undefined): Trust {
  return { is: 'silent', side, since, reason }
}

function isSameTrust(one: Trust, other: Trust): boolean {
  if (one.is === 'live' || other.is === 'live') return one.is === other.is
  return (
    one.side === other.side &&
    one.since === other.since &&
    one.reason === other.reason &&
    one.retryAt === other.retryAt
  )
}
