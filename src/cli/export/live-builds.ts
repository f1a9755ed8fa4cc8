import { z } from 'zod'
import { BuildMessage } from '../../protocol/build-message.ts'
import { wait } from '../../protocol/clock.ts'
import type { Facts } from '../../protocol/facts.ts'
import {
  LiveBuilds,
  liveEvents,
  LiveFacts,
  livePath,
  LiveStatus,
} from '../../protocol/live-feed.ts'
import { parsedJson } from '../../protocol/parsed-text.ts'
import { problemError } from '../../protocol/problem.ts'
import { createSseReader } from '../../protocol/sse.ts'
import { notSightline } from '../server-request.ts'
import type { FeedOptions, Order, Position } from './feed-order.ts'
import type { ExportBuild } from './export-line.ts'

/** Builds whose turn has come; none while the feed is quiet. */
export interface LivePortion {
  readonly builds: readonly ExportBuild[]
  /** Whether nothing came for a while, and nothing waits for its facts. */
  readonly isQuiet: boolean
  /** Where a feed stands that began with what comes. */
  readonly start: Position | undefined
}

/** A build whose turn hasn't come. */
export interface Waiting {
  readonly build: BuildMessage
  facts: Facts | undefined
  /** When it first came, epoch ms. */
  readonly since: number
}

/** So many builds wait for their facts at most; then the oldest goes as it is. */
const mostWaiting = 20_000

/** The proxy sends a heartbeat each 15 s. */
const silentMs = 60_000
const quietMs = 10_000

/** A whole backlog of builds may come as one message. */
const mostMessageCharacters = 64 * 1024 * 1024

/**
 * One connection to the live feed (docs/design.md#live-messages) after what was handled: each build when its facts are known, or
 * were waited for long enough, and never before the one before it. `gap` where the server doesn't know the position.
 * Ends with the connection; throws what broke it. What still waits then stays in `waiting` for the next connection.
 */
export async function* liveBuilds(
  { server, clock, signal, factsMs }: FeedOptions,
  order: Order,
  waiting: Map<string, Waiting>,
  onHeard: () => void,
): AsyncGenerator<LivePortion | 'gap', void, undefined> {
  const connection = new AbortController()
  const end = (): void => {
    connection.abort()
  }
  signal.addEventListener('abort', end)
  let heardAt = 0
  const earlier = new Map(waiting)
  waiting.clear()
  const found: { gap: boolean; start?: Position } = { gap: false }

  const add = (build: BuildMessage): void => {
    const { buildId, timestamp } = build
    if (found.gap || waiting.has(buildId) || order.isHandled(buildId, timestamp)) return
    waiting.set(buildId, earlier.get(buildId) ?? { build, facts: undefined, since: clock.now() })
  }
  const reader = createSseReader(
    {
      onMessage: ({ event, data, id }) => {
        if (event === liveEvents.build) add(decode(BuildMessage, data))
        else if (event === liveEvents.builds)
          for (const build of decode(LiveBuilds, data)) add(build)
        else if (event === liveEvents.gap) found.gap = true
        else if (event === liveEvents.facts) {
          const { buildId, facts } = decode(LiveFacts, data)
          const one = waiting.get(buildId)
          if (one !== undefined) one.facts = facts
        } else if (event === liveEvents.status && found.start === undefined) {
          const { now } = decode(LiveStatus, data)
          found.start =
            id === undefined ? { kind: 'instant', at: now } : { kind: 'after', id, receivedAt: now }
        }
      },
    },
    mostMessageCharacters,
  )
  const ready = (): ExportBuild[] => {
    const builds: ExportBuild[] = []
    for (const { build, facts, since } of waiting.values()) {
      const isDue = clock.now() - since >= factsMs || waiting.size > mostWaiting
      if (facts === undefined && !isDue) break
      builds.push({ build, facts })
      waiting.delete(build.buildId)
    }
    return builds
  }

  try {
    const response = await server.ask(...request(order), connection.signal)
    // Such as a sign-in page in front of it.
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
      throw notSightline(502)
    const chunks = (response.body ?? new ReadableStream<Uint8Array>()).getReader()
    let reading: Promise<boolean> | undefined
    for (;;) {
      if (reading === undefined) {
        heardAt = clock.now()
        reading = chunks.read().then(({ done, value }) => {
          if (value !== undefined) reader.feed(value)
          return !done
        })
        // It may break while a slow reader of ours is waited for: it is thrown by the next turn.
        reading.catch(() => undefined)
      }
      const turn = new AbortController()
      const [oldest] = waiting.values()
      const dueMs = oldest === undefined ? quietMs : oldest.since + factsMs - clock.now()
      const isOpen = await Promise.race([
        reading,
        wait(clock, Math.max(1, Math.min(quietMs, dueMs)), turn.signal),
      ]).finally(() => {
        // A timer that is left keeps the process alive.
        turn.abort()
      })
      if (isOpen !== undefined) {
        reading = undefined
        onHeard()
      }
      if (found.gap) {
        yield 'gap'
        return
      }
      const builds = ready()
      const isQuiet = waiting.size === 0 && clock.now() - heardAt >= quietMs
      yield { builds, start: found.start, isQuiet }
      if (isOpen === false || signal.aborted || clock.now() - heardAt > silentMs) return
    }
  } finally {
    signal.removeEventListener('abort', end)
    connection.abort()
  }
}

function request(order: Order): [path: string, init: { headers: Record<string, string> }] {
  const position = order.position()
  const headers = { accept: 'text/event-stream' }
  if (position.kind === 'now') return [`${livePath}?since=now&batch`, { headers }]
  if (position.kind === 'instant') return [`${livePath}?since=${position.at}&batch`, { headers }]
  const path = `${livePath}?since=${position.receivedAt}&batch`
  return order.isByTime()
    ? [path, { headers }]
    : [path, { headers: { ...headers, 'last-event-id': position.id } }]
}

function decode<S extends z.core.$ZodType>(schema: S, data: string): z.output<S> {
  const read = z.safeParse(schema, parsedJson(data))
  if (read.success) return read.data
  const sentence = "The Sightline server sent a message that this release can't read."
  throw problemError(502, 'unreadable-message', 'Unreadable message', sentence)
}
