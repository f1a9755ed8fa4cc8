import type { ServerResponse } from 'node:http'
import type { Since } from '../../protocol/export-paths.ts'

/** A reader of the live feed, after its session and everything it asked for were checked. */
export interface LiveRequest {
  /** Where to begin when nothing is resumed: epoch ms (0 is the oldest kept build) or only what comes. */
  readonly since: Since
  /** Whether a backlog or a busy flush may come as `Builds`, an array. */
  readonly batch: boolean
  /** The build to resume after; undefined where none was named or where it had no such shape. */
  readonly lastEventId: string | undefined
  /** A resume point was named that cannot be a build id: the reader is owed a `Gap`. */
  readonly lastEventIdMalformed: boolean
  /** Whose connection it is, for the cap per session, and when it must end (epoch ms). */
  readonly session: {
    readonly id: string
    readonly expiresAt: number
    /** Whether it was revoked: asked every second or so, and then the stream ends. */
    readonly isOver?: () => boolean
  }
  /** The reader accepts gzip. */
  readonly gzip: boolean
}

/** What the feed tells the metrics page. Gauges count what is so now, counters since the start. */
export interface LiveMetrics {
  /** By name without prefix, such as `clients`: what may rise and fall. */
  readonly gauges: Readonly<Record<string, number>>
  /** By name without prefix, such as `messages_delivered`: what only rises. */
  readonly counters: Readonly<Record<string, number>>
}

/**
 * The live feed as the rest of the proxy sees it. `handle` owns the response from then on: it
 * writes the head (also a refusal, as a problem detail) and ends it.
 */
export interface LiveEndpoint {
  readonly handle: (request: LiveRequest, outgoing: ServerResponse) => void
  readonly metrics: () => LiveMetrics
  /** How many builds are replayed at most, for `GET /config`. */
  readonly history: number
}
