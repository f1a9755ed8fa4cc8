import * as z from 'zod/mini'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { LiveStatus } from '../../../protocol/live-feed.ts'
import type { Readable } from '../core/store.ts'
import type { StreamEvent } from './event-stream.ts'

/** How this browser stands with the proxy, and that with the upstream (`upstream`). Epoch ms, this browser's clock. */
const Connection = z.discriminatedUnion('state', [
  /** Nobody listens. */
  z.object({ state: z.literal('idle') }),
  /** The first attempt has not been answered yet. */
  z.object({ state: z.literal('connecting') }),
  /** Older builds are being replayed, until the proxy announces the end; `left` where it announced how many. */
  z.object({
    state: z.literal('catching-up'),
    received: z.number(),
    left: z.union([z.number(), z.undefined()]),
  }),
  z.object({ state: z.literal('live') }),
  /** Lost; the next attempt is made at `nextAttemptAt`, or has not been answered yet. `reason` is a sentence for people. */
  z.object({ state: z.literal('retrying'), nextAttemptAt: z.number(), reason: z.string() }),
  /** The session has ended and no new one could be had. */
  z.object({ state: z.literal('signed-out'), reason: z.string() }),
  /** Refused for good; trying the same again will not help. */
  z.object({ state: z.literal('refused'), reason: z.string() }),
  /** The proxy announced that nothing more will come. */
  z.object({ state: z.literal('complete') }),
])
export type Connection = z.infer<typeof Connection>

/** How the feed stands, without its rows. Plain data: a tab sends it to those that join it. */
export const FeedState = z.object({
  connection: Connection,
  upstream: z.union([LiveStatus, z.undefined()]),
  lastHeardAt: z.union([z.number(), z.undefined()]),
  /** Messages that could not be read here. */
  malformed: z.number(),
  gaps: z.number(),
  /** The last gap will be closed by beginning anew. */
  isPartial: z.boolean(),
  clockDifference: z.number(),
  /** Builds that came since the stream was opened. */
  received: z.number(),
  /** When the stream was opened, by this browser's clock. */
  openedAt: z.number(),
  /** How long the newest build took to get here; undefined where it was replayed. */
  behindMs: z.union([z.number(), z.undefined()]),
})
export type FeedState = z.infer<typeof FeedState>

/** The events of a feed: those of its stream, and what its messages turn out to be. */
export type FeedEvent =
  | Exclude<StreamEvent, { type: 'message' }>
  /** `count` builds came, the newest of which the server received at `newestTimestamp`. */
  | {
      readonly type: 'builds'
      readonly count: number
      readonly newestTimestamp: number
      readonly at: number
    }
  | { readonly type: 'status'; readonly status: LiveStatus; readonly at: number }
  | { readonly type: 'gap'; readonly isPartial: boolean }
  | { readonly type: 'malformed'; readonly count: number }
  /** Nobody listens any more. */
  | { readonly type: 'closed' }
  /** Another tab, which reads the stream for this one, has sent the state of the feed. */
  | { readonly type: 'adopted'; readonly state: FeedState }

/** A feed without a listener so far. */
export const idleFeed: FeedState = {
  connection: { state: 'idle' },
  upstream: undefined,
  lastHeardAt: undefined,
  malformed: 0,
  gaps: 0,
  isPartial: false,
  clockDifference: 0,
  received: 0,
  openedAt: 0,
  behindMs: undefined,
}

/** The state after an event; the same object when nothing changed. */
export function reduceFeed(state: FeedState, event: FeedEvent): FeedState {
  switch (event.type) {
    case 'attempt':
      // Why the one before failed is said until this one is answered, which may be long.
      return state.connection.state === 'retrying'
        ? state
        : { ...state, connection: { state: 'connecting' } }
    case 'opened':
      return {
        ...state,
        lastHeardAt: event.at,
        received: 0,
        openedAt: event.at,
        behindMs: undefined,
        gaps: state.gaps - Number(state.isPartial),
        isPartial: false,
        // One that goes on with a new token has been live all the time.
        connection:
          state.connection.state === 'live'
            ? state.connection
            : { state: 'catching-up', received: 0, left: undefined },
      }
    case 'heard':
      return { ...state, lastHeardAt: event.at }
    case 'builds':
      return afterBuilds(state, event)
    case 'status':
      return afterStatus(state, event.status, event.at)
    case 'waiting': {
      const { nextAttemptAt, reason } = event
      return { ...state, connection: { state: 'retrying', nextAttemptAt, reason } }
    }
    case 'complete':
      return { ...state, connection: { state: 'complete' } }
    case 'refused':
    case 'signed-out':
      return { ...state, connection: { state: event.type, reason: event.reason } }
    case 'gap':
      return { ...state, gaps: state.gaps + 1, isPartial: event.isPartial }
    case 'skipped':
      return { ...state, gaps: state.gaps + 1, isPartial: false }
    case 'malformed':
      return { ...state, malformed: state.malformed + event.count }
    case 'fault':
      return { ...state, malformed: state.malformed + 1 }
    case 'closed':
      return { ...state, connection: { state: 'idle' } }
    case 'adopted':
      return event.state
  }
}

const justMadeMs = 2000
/** A message is seldom on its way for so long. */
const jumpMs = 30_000

function afterBuilds(
  state: FeedState,
  { count, newestTimestamp, at }: Extract<FeedEvent, { type: 'builds' }>,
): FeedState {
  const late = behindMs(newestTimestamp, at, state.clockDifference)
  const received = state.received + count
  // A build from before the stream was opened was replayed: it is old, but it was not late.
  const isNew = newestTimestamp > state.openedAt + state.clockDifference
  const tells = (state.connection.state === 'live' && isNew) || late < justMadeMs
  return {
    ...state,
    received,
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

/** A Status without a backlog leaves it as it is: the upstream has changed, and all are notified. */
function afterStatus(state: FeedState, upstream: LiveStatus, at: number): FeedState {
  const { backlog, now } = upstream
  const told = clockDifference(now, at)
  const lessMs = state.clockDifference - told
  // One that took longer than another says less: unless it is this browser's clock that went ahead.
  const isOlder = lessMs > 0 && lessMs < jumpMs && at - state.openedAt > justMadeMs
  const difference = isOlder ? state.clockDifference : told
  const next = { ...state, upstream, lastHeardAt: at, clockDifference: difference }
  if (backlog === undefined) return next
  return {
    ...next,
    connection:
      backlog === 0
        ? { state: 'live' }
        : { state: 'catching-up', received: state.received, left: backlog },
  }
}

/** A build of the feed and what is known of it; `facts` is undefined until they arrive. */
export interface FeedRow {
  /** Counts up by one with each build that arrives: the row's stable key and place. */
  readonly arrival: number
  readonly build: BuildMessage
  readonly facts: Facts | undefined
}

/** Builds received in one minute, by outcome; those without facts yet count as unknown. */
export interface MinuteCount {
  /** Epoch ms of the minute's beginning. */
  readonly minute: number
  readonly succeeded: number
  readonly failed: number
  readonly unknown: number
}

/**
 * The feed at one moment. A snapshot is replaced as a whole at each flush and never changes, but
 * for `row`, which reads the newest knowledge of a build that is still kept.
 */
export interface FeedSnapshot {
  readonly connection: Connection
  /** The last Status of the proxy, or undefined before the first. */
  readonly upstream: LiveStatus | undefined
  /** When the last byte from the proxy came, epoch ms; undefined before the first. */
  readonly lastHeardAt: number | undefined
  /** The arrival of the oldest build that is kept, and of the newest; empty when oldest > newest. */
  readonly oldest: number
  readonly newest: number
  /** Builds that were dropped from the beginning because of the cap. */
  readonly dropped: number
  /** Messages that could not be read, here and between proxy and upstream. */
  readonly malformed: number
  /** Times when builds are known to be missing (`Gap`). */
  readonly gaps: number
  /** The last 60 minutes, oldest first, the current one last. */
  readonly perMinute: readonly MinuteCount[]
  /** Counts up whenever any row changed: builds arrived, facts came, rows were dropped. */
  readonly version: number
  readonly row: (arrival: number) => FeedRow | undefined
}

/** What the feed publishes: the contract with the screen, and what lag and filters need. */
export interface FeedView extends FeedSnapshot {
  /** What is missing in the last gap comes once the build server is back. */
  readonly isPartial: boolean
  /**
   * How long the newest build took from the server to this browser, ms, corrected for the
   * difference of the clocks; undefined before a build came while the stream was live.
   */
  readonly behindMs: number | undefined
  /** What to add to this browser's clock to get the build server's, ms; 0 before the first Status. */
  readonly clockDifference: number
  /** Kept arrivals whose facts came since the view of `version` before this one, up to its `newest`. */
  readonly changed: readonly number[]
}

/** The endless stream of builds: the first listener opens it, a while after the last one left it is closed. */
export interface Feed extends Readable<FeedView> {
  /** Tries again at once: out of a back-off, and also after the stream ended or was refused. */
  readonly reconnect: () => void
  /** Gives up catching up: builds not yet received are left out, and the stream goes on from now. */
  readonly skipToNow: () => void
}

/**
 * What to add to this browser's clock to get the build server's, ms, from its time in a message that arrived at `receivedAt` (epoch ms, this browser's clock). Too small by the
 * time the message took, so that a lag reckoned with it is never overstated.
 */
export function clockDifference(serverNow: number, receivedAt: number): number {
  return serverNow - receivedAt
}

/**
 * How long a build took from the server to this browser, ms: from `timestamp`, when the server had
 * processed it, to `receivedAt` by this browser's clock, which is `difference` ms behind the
 * server's. Never negative, as a server whose clock is ahead delivers nothing before its time.
 */
export function behindMs(timestamp: number, receivedAt: number, difference: number): number {
  return Math.max(0, receivedAt + difference - timestamp)
}
