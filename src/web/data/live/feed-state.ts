import { z } from 'zod'
import { LiveStatus } from '../../../protocol/live-feed.ts'
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
  /** Builds that came since the stream was opened, and when it last was, or one last did. */
  received: z.number(),
  busyAt: z.number(),
  /** When the stream was opened, by this browser's clock. */
  openedAt: z.number(),
  /** How long the newest build took to get here; undefined where it was replayed. */
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
  /** Time has passed. */
  | { readonly type: 'tick'; readonly at: number }
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
  received: 0,
  busyAt: 0,
  openedAt: 0,
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
        received: 0,
        busyAt: happening.at,
        openedAt: happening.at,
        behindMs: undefined,
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
    case 'tick':
      return isUnsettled(state) && happening.at - state.busyAt >= settledAfterMs
        ? { ...state, connection: { state: 'live' } }
        : state
    case 'closed':
      return { ...state, connection: { state: 'idle' } }
    case 'adopted':
      return happening.state
  }
}

/**
 * Whether it is open whether older builds are still to come: a proxy that has few of them sends
 * them at once and does not say how many; one that has many says so within a second.
 */
export function isUnsettled({ connection }: FeedState): boolean {
  return connection.state === 'catching-up' && connection.left === undefined
}

const settledAfterMs = 1000
const justMadeMs = 2000

function afterBuilds(
  state: FeedState,
  { count, newestTimestamp, at }: Extract<FeedHappening, { type: 'builds' }>,
): FeedState {
  const late = behindMs(newestTimestamp, at, state.clockDifference)
  const received = state.received + count
  // A build from before the stream was opened was replayed: it is old, but it was not late.
  const isNew = newestTimestamp > state.openedAt + state.clockDifference
  const tells = (state.connection.state === 'live' && isNew) || late < justMadeMs
  return {
    ...state,
    received,
    busyAt: at,
    lastHeardAt: at,
    behindMs: state.upstream !== undefined && tells ? late : undefined,
    connection: progress(state.connection, received, count, late),
  }
}

/** While catching up each build counts down; without a number, a build just made is the end. */
function progress(
  connection: FeedState['connection'],
  received: number,
  count: number,
  late: number,
): FeedState['connection'] {
  if (connection.state !== 'catching-up') return connection
  const left = connection.left === undefined ? undefined : connection.left - count
  const isOver = left === undefined ? late < justMadeMs : left <= 0
  return isOver ? { state: 'live' } : { state: 'catching-up', received, left }
}

/** A Status without a backlog says nothing of it: the upstream has changed, and all are told. */
function afterStatus(state: FeedState, upstream: LiveStatus, at: number): FeedState {
  const { backlog, now } = upstream
  const next = { ...state, upstream, lastHeardAt: at, clockDifference: clockDifference(now, at) }
  if (backlog === undefined) return next
  return {
    ...next,
    connection:
      backlog === 0
        ? { state: 'live' }
        : { state: 'catching-up', received: state.received, left: backlog },
  }
}
