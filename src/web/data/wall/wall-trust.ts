import type { FeedView } from '../live/feed-state.ts'

/**
 * Which side does not answer, so that what a wall shows may be old.
 * - `starting`: nothing has been heard yet
 * - `network`: this device has no network
 * - `proxy`: the proxy does not answer, or has fallen silent
 * - `session`: the proxy answers and gives this screen no session
 * - `upstream`: the proxy answers and has lost the build server
 * - `ended`: the build server or the proxy said that nothing more will come
 */
export type SilentSide = 'starting' | 'network' | 'proxy' | 'session' | 'upstream' | 'ended'

/** How far what is shown can be believed. */
export type Trust =
  | { readonly is: 'live' }
  | {
      readonly is: 'silent'
      readonly side: SilentSide
      /** When that side was last heard, epoch ms by this browser's clock; undefined: never. */
      readonly since: number | undefined
      /** What was said of it, as a sentence. */
      readonly reason: string | undefined
    }

/** What trust is judged by. */
export interface TrustFacts {
  readonly view: Pick<FeedView, 'connection' | 'upstream' | 'lastHeardAt' | 'clockDifference'>
  readonly now: number
  readonly isOnline: boolean
  /** Whether the proxy answered when it was last asked; undefined when it has not been. */
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
  }
}

function silent(side: SilentSide, since: number | undefined, reason: string | undefined): Trust {
  return { is: 'silent', side, since, reason }
}

/** Whether two judgements say the same. */
export function isSameTrust(one: Trust, other: Trust): boolean {
  if (one.is === 'live' || other.is === 'live') return one.is === other.is
  return one.side === other.side && one.since === other.since && one.reason === other.reason
}
