import * as z from 'zod/mini'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import type { Facts } from '../../../protocol/facts.ts'
import {
  liveEvents,
  LiveFacts,
  LiveGap,
  livePath,
  LiveStatus,
} from '../../../protocol/live-feed.ts'
import type { StreamMessage } from '../core/event-source.ts'
import type { SessionKeeper } from '../core/session.ts'
import {
  type EventStream,
  type EventStreamOptions,
  openEventStream,
  type StreamEvent,
} from './event-stream.ts'
import type { FeedRow, FeedState } from './feed-state.ts'

/** Where a stream begins: after a build, or with all builds received since an instant. */
export interface StreamStart {
  readonly lastId: string | undefined
  /** Epoch ms by this browser's clock. */
  readonly since: number
}

/** The events of a stream, or the state of another tab that reads it. */
export type SourceEvent = StreamEvent | { readonly type: 'adopted'; readonly state: FeedState }

export interface RowsAfter {
  readonly rows: readonly FeedRow[]
  /** Builds between the one that was named and the first row are no longer kept. */
  readonly missing: boolean
}

export interface StreamSink {
  readonly emit: (event: SourceEvent) => void
  /** Where to begin or to go on, as of now. */
  readonly start: () => StreamStart
  /** The feed as it stands, without its rows. */
  readonly state: () => FeedState
  /** Up to `limit` rows after a build, oldest first; all from the oldest where that build is not kept. */
  readonly rowsAfter: (buildId: string | undefined, limit: number) => RowsAfter
  /** The ids of the newest builds of which no facts are known, up to `limit`. */
  readonly withoutFacts: (limit: number) => readonly string[]
  /** What is known of these builds, once for each of which something is. */
  readonly factsOf: (buildIds: readonly string[]) => readonly Facts[]
}

export interface OpenStream {
  readonly reconnect: () => void
  /** Leaves out what is missing and goes on with what comes from now. */
  readonly skipToNow: () => void
  /** Ends it: nothing is emitted after this call. */
  readonly close: () => void
}

/** Where a feed gets its stream: from the proxy itself, or through another tab. */
export type StreamSource = (sink: StreamSink) => OpenStream

export type LiveSourceOptions = Pick<
  EventStreamOptions,
  'fetch' | 'clock' | 'random' | 'isOnline' | 'maxLineBytes' | 'silenceLimitMs'
> & { readonly session: SessionKeeper }

/** The live feed of the proxy as a source: one connection of this page's own. */
export function createLiveSource(options: LiveSourceOptions): StreamSource {
  const { clock, session } = options
  return (sink) =>
    openSessionStream(
      {
        ...options,
        // What was given in place of all that is missing is no place to go on from.
        lastId: () => sink.start().lastId,
        // By the proxy's clock, which is not overtaken: a time in the future would be refused.
        url: () => {
          const since = session.proxyNow() - Math.max(0, clock.now() - sink.start().since)
          return `${livePath}?since=${Math.max(0, Math.floor(since))}&batch`
        },
        onSkip: () => {
          sink.emit({ type: 'skipped', at: clock.now() })
        },
      },
      sink.emit,
    )
}

/** Reads a stream of the proxy with whatever session there is. */
export function openSessionStream(
  {
    session,
    onSkip = () => undefined,
    ...options
  }: LiveSourceOptions &
    Pick<EventStreamOptions, 'url' | 'lastId'> & {
      readonly onSkip?: () => void
    },
  emit: (event: StreamEvent) => void,
): OpenStream {
  const open = (): EventStream =>
    openEventStream(
      {
        ...options,
        token: async () => (await session.current()).token,
        discard: session.discard,
      },
      emit,
    )
  let stream = open()
  let { is } = session.state.getSnapshot()
  /** Signed out the stream ends at once, and signed in again it goes on. */
  const leaveSession = session.state.subscribe(() => {
    const { is: now } = session.state.getSnapshot()
    const isTurn = now === 'signed-out' || is === 'signed-out'
    if (now !== is && isTurn) stream.reconnect()
    is = now
  })
  return {
    reconnect: () => {
      stream.reconnect()
    },
    skipToNow: () => {
      stream.close()
      onSkip()
      stream = open()
    },
    close: () => {
      leaveSession()
      stream.close()
    },
  }
}

type LiveMessage =
  /** Oldest first; `malformed` were among them and are left out. */
  | {
      readonly type: 'builds'
      readonly builds: readonly BuildMessage[]
      readonly malformed: number
    }
  | { readonly type: 'facts'; readonly facts: LiveFacts }
  | { readonly type: 'status'; readonly status: LiveStatus }
  /** `isPartial`: a new connection gets what is missing once the server is back. */
  | { readonly type: 'gap'; readonly isPartial: boolean }
  | { readonly type: 'malformed' }
  /** An event that this version does not know. */
  | { readonly type: 'other' }

/** Reads a message of the live feed. Never throws: one that can't be read is reported, to be counted. */
export function decodeLiveMessage({ event, data }: StreamMessage): LiveMessage {
  switch (event) {
    case liveEvents.builds:
      return decodeBuilds(parse(data))
    case liveEvents.build:
      return decodeBuilds([parse(data)])
    case liveEvents.facts:
      return decodeAs(LiveFacts, data, (facts) => ({ type: 'facts', facts }))
    case liveEvents.status:
      return decodeAs(LiveStatus, data, (status) => ({ type: 'status', status }))
    case liveEvents.gap:
      return decodeAs(LiveGap, data, ({ again = false }) => ({ type: 'gap', isPartial: again }))
    default:
      return { type: 'other' }
  }
}

function decodeBuilds(values: unknown): LiveMessage {
  if (!Array.isArray(values) || values.length === 0) return { type: 'malformed' }
  // One pass without copying where all are well, as they nearly always are.
  if (values.every(isBuildMessage)) return { type: 'builds', builds: values, malformed: 0 }
  const builds = values.filter(isBuildMessage)
  return { type: 'builds', builds, malformed: values.length - builds.length }
}

function decodeAs<T>(
  schema: z.core.$ZodType<T>,
  data: string,
  message: (value: T) => LiveMessage,
): LiveMessage {
  const decoded = z.safeParse(schema, parse(data))
  return decoded.success ? message(decoded.data) : { type: 'malformed' }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

/**
 * Whether a value is what `BuildMessage` accepts, found out some thirty times faster than by the schema:
 * a catch-up of a million builds is read in a second. The tests hold the two equal; what is refused
 * here is given to the schema, which names the reason.
 */
export function isBuildMessage(value: unknown): value is BuildMessage {
  return (
    typeof value === 'object' &&
    value !== null &&
    'buildId' in value &&
    'timestamp' in value &&
    'toolType' in value &&
    'toolVersion' in value &&
    'agentVersion' in value &&
    typeof value.buildId === 'string' &&
    buildId.test(value.buildId) &&
    typeof value.timestamp === 'number' &&
    Number.isSafeInteger(value.timestamp) &&
    value.timestamp >= 0 &&
    typeof value.toolType === 'string' &&
    value.toolType !== '' &&
    typeof value.toolVersion === 'string' &&
    typeof value.agentVersion === 'string'
  )
}

const buildId = /^[\w.~-]{13}$/
