import type { Clock } from '../../../protocol/clock.ts'
import { createFeedContent } from './feed-content.ts'
import type { Feed } from './feed.ts'
import { isUnsettled } from './feed-state.ts'
import type { OpenStream, StreamSource } from './stream-source.ts'

/** How a feed is made; times in ms. */
export interface FeedOptions {
  readonly source: StreamSource
  readonly clock: Clock
  /** How many builds are kept: 100,000. */
  readonly limit?: number
  /** At most one snapshot is published in this time: 200 ms. */
  readonly flushMs?: number
  /** How long the stream outlives its last listener, as pages change and React mounts twice: 5 s. */
  readonly graceMs?: number
  /** How much of the past the first opening asks for: an hour. */
  readonly historyMs?: number
}

const tickMs = 1000

/**
 * Makes a feed that is closed until somebody listens. What it holds is kept when it closes, and it
 * goes on from there when it opens again.
 */
export function createFeed(options: FeedOptions): Feed {
  const { source, clock, flushMs = 200, graceMs = 5000 } = options
  const content = createFeedContent(options.limit ?? 100_000, options.historyMs ?? 3_600_000)
  const listeners = new Set<() => void>()
  let view = content.view(clock.now())
  let stream: OpenStream | undefined
  let flushDue: number | undefined
  let publishedAt = -Infinity
  let cancelFlush = doNothing
  let cancelClose = doNothing
  let cancelTick = doNothing

  function publish(): void {
    cancelFlush()
    flushDue = undefined
    publishedAt = clock.now()
    view = content.view(publishedAt)
    for (const listener of [...listeners]) listener()
  }

  /** Something changed: it is published soon, together with what else changes until then. */
  function changed(): void {
    const now = clock.now()
    if (flushDue === undefined) {
      flushDue = Math.max(now, publishedAt + flushMs)
      cancelFlush = clock.after(flushDue - now, publish)
    } else if (now > flushDue + flushMs) {
      // Timers of hidden tabs come late, up to a minute; what arrives does not.
      publish()
    }
  }

  /** What time alone changes: the minutes go on, and a stream that brings nothing more is live. */
  function tick(): void {
    cancelTick = clock.after(tickMs, () => {
      const isNewMinute = minuteOf(clock.now()) !== minuteOf(publishedAt)
      if (isNewMinute || isUnsettled(content.state())) changed()
      tick()
    })
  }

  function open(): void {
    tick()
    stream = source({
      tell: (happening) => {
        content.apply(happening)
        changed()
      },
      start: () => content.start(clock.now()),
      state: content.state,
      rowsAfter: content.rowsAfter,
      withoutFacts: content.withoutFacts,
      factsOf: content.factsOf,
    })
  }

  function close(): void {
    stream?.close()
    stream = undefined
    cancelTick()
    content.apply({ type: 'closed' })
    publish()
  }

  return {
    subscribe: (listener) => {
      cancelClose()
      // An entry of its own, as the same function may listen twice.
      const entry = (): void => {
        listener()
      }
      listeners.add(entry)
      if (stream === undefined) open()
      return () => {
        if (!listeners.delete(entry) || listeners.size > 0) return
        cancelClose = clock.after(graceMs, close)
      }
    },
    getSnapshot: () => view,
    reconnect: () => {
      stream?.reconnect()
    },
    skipToNow: () => {
      stream?.skipToNow()
    },
  }
}

function minuteOf(time: number): number {
  return Math.floor(time / 60_000)
}

function doNothing(): void {
  // Nothing has been arranged yet.
}
