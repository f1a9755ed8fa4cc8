import { type Clock, wait } from '../../../protocol/clock.ts'
import { problem, problemJson } from '../../../protocol/problem.ts'
import { encodeSseComment, encodeSseRetry } from '../../../protocol/sse.ts'
import { type Block, createBlock } from './live-client.ts'
import type { LiveReader } from './live-reader.ts'
import type { Outgoing } from '../sessions.ts'

/** Why a reader was let go. */
export type Departure = 'stalled' | 'lagging' | 'overtaken' | 'ended'

/** The readers that are here now, and the one timer that looks after them. */
export interface ReaderList {
  readonly readers: ReadonlySet<LiveReader>
  /** Why there is no place for one more of a person or screen; undefined when there is. */
  readonly full: (holder: string) => 'all' | 'own' | undefined
  readonly add: (reader: LiveReader) => void
  readonly remove: (reader: LiveReader) => void
  /** Whether more than half of them cannot take more now. */
  readonly mostAreBlocked: () => boolean
  /** Drops whoever is too far behind: asked after each flush. */
  readonly dropLagging: () => void
  /** Ends all of them, spread over `drainMs`, so that they don't come back at once. */
  readonly drain: (random: () => number) => Promise<void>
}

/**
 * Keeps the readers. While there are some, it sends heartbeats, drops those whose connection takes
 * nothing, and ends those whose time is over; when the last one has gone, no timer is left. `heartbeat`
 * makes the one of this moment, for all.
 */
export function createReaderList(
  clock: Clock,
  settings: HubSettings,
  onDeparture: (departure: Departure) => void,
  heartbeat: () => Block = () => silentHeartbeat,
): ReaderList {
  const readers = new Set<LiveReader>()
  const perHolder = new Map<string, number>()
  /** For each reader, what ends it with its session. */
  const onSessionEnd = new Map<LiveReader, () => void>()
  /** Those that were here at an earlier look: a stream that is over within a second reads as a fault. */
  const known = new WeakSet<LiveReader>()
  let heartbeatAt = 0
  let cancelTimer: (() => void) | undefined

  const drop = (reader: LiveReader, departure: Departure): void => {
    onDeparture(departure)
    reader.client.drop()
  }
  const end = (reader: LiveReader, departure: Departure): void => {
    onDeparture(departure)
    reader.client.end()
  }

  const lookAfter = (): void => {
    const now = clock.now()
    // Never further away than one interval, but after the clock was set back.
    const beats = now >= heartbeatAt || heartbeatAt - now > settings.heartbeatMs
    if (beats) heartbeatAt = now + settings.heartbeatMs
    const beat = beats ? heartbeat() : undefined
    for (const reader of readers) {
      const { client } = reader
      const blockedSince = client.blockedSince()
      if (blockedSince !== undefined && now - blockedSince >= settings.stallMs) {
        drop(reader, 'stalled')
      } else if (isDue(client, now) && !client.isEnding()) {
        end(reader, 'ended')
      } else if (known.has(reader) && reader.follower()?.isLost() === true && !client.isEnding()) {
        end(reader, 'overtaken')
      } else if (beat !== undefined && client.ready()) {
        client.send(beat)
      }
      known.add(reader)
    }
    cancelTimer = clock.after(lookMs, lookAfter)
  }

  return {
    readers,
    full: (holder) => {
      if (readers.size >= settings.maxClients) return 'all'
      const own = perHolder.get(holder) ?? 0
      return own >= settings.maxClientsPerHolder ? 'own' : undefined
    },
    add: (reader) => {
      const { holder, ended } = reader.client.request.session
      readers.add(reader)
      const endWithSession = (): void => {
        if (!reader.client.isEnding()) end(reader, 'ended')
      }
      onSessionEnd.set(reader, endWithSession)
      ended.addEventListener('abort', endWithSession)
      perHolder.set(holder, (perHolder.get(holder) ?? 0) + 1)
      if (cancelTimer !== undefined) return
      heartbeatAt = clock.now() + settings.heartbeatMs
      cancelTimer = clock.after(lookMs, lookAfter)
    },
    remove: (reader) => {
      if (!readers.delete(reader)) return
      const { holder, ended } = reader.client.request.session
      const endWithSession = onSessionEnd.get(reader)
      if (endWithSession !== undefined) ended.removeEventListener('abort', endWithSession)
      onSessionEnd.delete(reader)
      const left = (perHolder.get(holder) ?? 1) - 1
      if (left === 0) perHolder.delete(holder)
      else perHolder.set(holder, left)
      if (readers.size > 0) return
      cancelTimer?.()
      cancelTimer = undefined
    },
    mostAreBlocked: () => {
      let blocked = 0
      for (const { client } of readers) if (client.blockedSince() !== undefined) blocked++
      return blocked > readers.size / 2
    },
    dropLagging: () => {
      const lately = clock.now() - lagGraceMs
      for (const reader of readers) {
        if ((reader.client.blockedSince() ?? lately) >= lately) continue
        const unsent = reader.follower()?.unsentBytes() ?? 0
        if (unsent > settings.maxUnsentBytes) drop(reader, 'lagging')
      }
    },
    drain: async (random) => {
      await Promise.all(
        [...readers].map(async ({ client }) => {
          await wait(clock, random() * settings.drainMs, client.gone())
          // Spread once more, as a balancer would have them all come to what is left.
          client.send(createBlock(encodeSseRetry(Math.round(1000 + random() * 250))))
          client.end()
          await wait(clock, lastWordsMs, client.gone())
          client.drop()
        }),
      )
    },
  }
}

/** Whether a connection has lived its time, or its session had ended before it was here. */
function isDue({ endsAt, request }: LiveReader['client'], now: number): boolean {
  return request.session.ended.aborted || now >= endsAt
}

const lookMs = 1000
/** How long an ended connection may take to be read to its end. */
const lastWordsMs = 2000
/** A burst alone puts every reader behind for a moment: only one that takes nothing lags. */
const lagGraceMs = 2000
const silentHeartbeat = createBlock(encodeSseComment('hb'))

/** Tells a reader that there is no place for it, and when to come back. */
export function refuseReader(outgoing: Outgoing, why: 'all' | 'own' | 'closing'): void {
  const body = JSON.stringify(refusals[why])
  outgoing.writeHead(refusals[why].status, {
    'content-type': problemJson,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // A balancer has another process for it.
    'retry-after': why === 'closing' ? '1' : '10',
  })
  outgoing.end(body)
}

const refusals = {
  all: problem(
    503,
    'live-full',
    'Too many connections',
    'The live feed has reached its limit of connections. Try again in a few seconds.',
  ),
  own: problem(
    429,
    'live-own-full',
    'Too many connections',
    'Too many live feeds are open in your sessions. Close a tab that shows builds, or wait a few seconds.',
  ),
  closing: problem(
    503,
    'live-closing',
    'Shutting down',
    'The live feed is shutting down, most likely for a restart. Try again in a few seconds.',
  ),
} as const

/** What can be set of the live hub; times in ms, sizes in bytes unless the name says otherwise. */
export interface HubSettings {
  /** How long builds are gathered before they go out as one buffer for all: 0 to 250. */
  readonly flushMs: number
  /** How often every reader is sent a comment that keeps its connection open. */
  readonly heartbeatMs: number
  /** How many of the newest builds are kept for readers that resume. */
  readonly ringSize: number
  /** How many readers there may be at once, and how many of one person, over all sessions, or screen. */
  readonly maxClients: number
  readonly maxClientsPerHolder: number
  /** A reader that takes nothing is dropped when it is further behind than this, or after `stallMs`. */
  readonly maxUnsentBytes: number
  readonly stallMs: number
  /** How long a connection lives, give or take a fifth; the reader resumes by id. */
  readonly lifetimeMs: number
  /** Over how long the connections are ended when the hub closes; what is unsent has 2 s more. */
  readonly drainMs: number
  /** An upstream that sends nothing for so long, not even a heartbeat, is taken for lost. */
  readonly upstreamIdleMs: number
  /** How long the build list is polled before the refused stream is tried again. */
  readonly streamRetryMs: number
  /** How many readers are served from the upstream's history at the same time. */
  readonly maxReplays: number
  /** Whether readers that accept gzip get it; all share one compression. */
  readonly gzip: boolean
  /** Whether more is asked of arriving builds and sent as `Facts`. */
  readonly facts: boolean
}

/** See docs/design.md#live-hub. */
export const defaultHubSettings: HubSettings = {
  flushMs: 50,
  heartbeatMs: 15_000,
  ringSize: 10_000,
  maxClients: 5_000,
  // A person may leave walls on many screens.
  maxClientsPerHolder: 300,
  maxUnsentBytes: 1024 * 1024,
  stallMs: 30_000,
  lifetimeMs: 600_000,
  drainMs: 8_000,
  // A wall says within 45 s that the server is silent.
  upstreamIdleMs: 35_000,
  streamRetryMs: 300_000,
  maxReplays: 8,
  gzip: true,
  facts: true,
}
