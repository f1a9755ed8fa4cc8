import { z } from 'zod'
import { LiveStatus } from '../../protocol/live-feed.ts'
import { behindMs, clockDifference } from './lag.ts'
import type { StreamHappening } from './stream-happening.ts'

const Connection = z.discriminatedUnion('state', [
  z.object({ state: z.literal('idle') }),
  z.object({ state: z.literal('connecting') }),
  z.object({
    state: z.literal('catching-up'),
    received: z.number(),
    left: z.union([z.number(), z.undefined()]),
  }),
  z.object({ state: z.literal('live') }),
  z.object({ state: z.literal('retrying'), nextAttemptAt: z.number(), reason: z.string() }),
  z.object({ state: z.literal('signed-out'), reason: z.string() }),
  z.object({ state: z.literal('refused'), reason: z.string() }),
  z.object({ state: z.literal('complete') }),
])

/** How the feed stands, without its rows. Plain data: a tab tells it to those that join it. */
export const FeedState = z.object({
  /** See `Connection` in feed-snapshot.ts. */
  connection: Connection,
  upstream: z.union([LiveStatus, z.undefined()]),
  lastHeardAt: z.union([z.number(), z.undefined()]),
  /** Messages that could not be read here. */
  malformed: z.number(),
  gaps: z.number(),
  clockDifference: z.number(),
  /** How long the newest build took to get here; undefined while it cannot be told. */
  behindMs: z.union([z.number(), z.undefined()]),
})
export type FeedState = z.infer<typeof FeedState>

/** What can happen to a feed: what happens to its stream, and what its messages turn out to say. */
export type FeedHappening =
  | Exclude<StreamHappening, { type: 'message' }>
  /** `count` builds came, the newest of which the server received at `newestTimestamp`. */
  | {
      readonly type: 'builds'
      readonly count: number
      readonly newestTimestamp: number
      readonly at: number
    }
  | { readonly type: 'status'; readonly status: LiveStatus; readonly at: number }
  | { readonly type: 'gap' }
  | { readonly type: 'malformed'; readonly count: number }
  /** Nobody listens any more. */
  | { readonly type: 'closed' }
  /** Another tab, which reads the stream for this one, has told how the feed stands. */
  | { readonly type: 'adopted'; readonly state: FeedState }

/** A feed that nobody has listened to yet. */
export const idleFeed: FeedState = {
  connection: { state: 'idle' },
  upstream: undefined,
  lastHeardAt: undefined,
  malformed: 0,
  gaps: 0,
  clockDifference: 0,
  behindMs: undefined,
}

/** The state after a happening; the same object when nothing changed. */
export function reduceFeed(state: FeedState, happening: FeedHappening): FeedState {
  switch (happening.type) {
    case 'attempt':
      return { ...state, connection: { state: 'connecting' } }
    case 'opened':
      return {
        ...state,
        lastHeardAt: happening.at,
        connection: { state: 'catching-up', received: 0, left: undefined },
      }
    case 'heard':
      return { ...state, lastHeardAt: happening.at }
    case 'builds':
      return afterBuilds(state, happening)
    case 'status':
      return afterStatus(state, happening.status, happening.at)
    case 'waiting': {
      const { nextAttemptAt, reason } = happening
      return { ...state, connection: { state: 'retrying', nextAttemptAt, reason } }
    }
    case 'complete':
      return { ...state, connection: { state: 'complete' } }
    case 'refused':
    case 'signed-out':
      return { ...state, connection: { state: happening.type, reason: happening.reason } }
    case 'gap':
    case 'skipped':
      return { ...state, gaps: state.gaps + 1 }
    case 'malformed':
      return { ...state, malformed: state.malformed + happening.count }
    case 'fault':
      return { ...state, malformed: state.malformed + 1 }
    case 'closed':
      return { ...state, connection: { state: 'idle' } }
    case 'adopted':
      return happening.state
  }
}

function afterBuilds(
  state: FeedState,
  { count, newestTimestamp, at }: Extract<FeedHappening, { type: 'builds' }>,
): FeedState {
  const known = state.upstream !== undefined
  const late = behindMs(newestTimestamp, at, state.clockDifference)
  return {
    ...state,
    lastHeardAt: at,
    behindMs: known ? late : undefined,
    connection: progress(state.connection, count, late),
  }
}

/** While catching up each build counts down; a build just made shows that the end is reached. */
function progress(
  connection: FeedState['connection'],
  count: number,
  late: number,
): FeedState['connection'] {
  if (connection.state !== 'catching-up') return connection
  const received = connection.received + count
  if (connection.left === undefined) {
    return late < justMadeMs ? { state: 'live' } : { ...connection, received }
  }
  const left = connection.left - count
  return left <= 0 ? { state: 'live' } : { state: 'catching-up', received, left }
}

const justMadeMs = 2000

function afterStatus(state: FeedState, upstream: LiveStatus, at: number): FeedState {
  const received = state.connection.state === 'catching-up' ? state.connection.received : 0
  const left = upstream.backlog ?? 0
  return {
    ...state,
    upstream,
    lastHeardAt: at,
    clockDifference: clockDifference(upstream.now, at),
    connection: left > 0 ? { state: 'catching-up', received, left } : { state: 'live' },
  }
}
