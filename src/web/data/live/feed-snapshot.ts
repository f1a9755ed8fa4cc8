import type { BuildMessage } from '../../../protocol/build-message.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { LiveStatus } from '../../../protocol/live-feed.ts'

/** A build of the feed and what is known of it; `facts` is undefined until they arrive. */
export interface FeedRow {
  /** Counts up by one with each build that arrives: the row's stable key and place. */
  readonly arrival: number
  readonly build: BuildMessage
  readonly facts: Facts | undefined
}

/**
 * How this browser stands with the proxy; how the proxy stands with the upstream is `upstream`.
 * Times are epoch ms by this browser's clock.
 */
export type Connection =
  /** Nobody listens. */
  | { readonly state: 'idle' }
  /** The first attempt has not been answered yet. */
  | { readonly state: 'connecting' }
  /** Older builds are being replayed; `left` where the proxy said how many. */
  | { readonly state: 'catching-up'; readonly received: number; readonly left: number | undefined }
  | { readonly state: 'live' }
  /** Lost; the next attempt is made at `nextAttemptAt`. `reason` is a sentence for people. */
  | { readonly state: 'retrying'; readonly nextAttemptAt: number; readonly reason: string }
  /** The session has ended and no new one could be had. */
  | { readonly state: 'signed-out'; readonly reason: string }
  /** Refused for good; trying the same again will not help. */
  | { readonly state: 'refused'; readonly reason: string }
  /** The proxy said that nothing more will come. */
  | { readonly state: 'complete' }

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
