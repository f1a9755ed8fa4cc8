import * as z from 'zod/mini'
import { BuildId, BuildMessage, EpochMs } from './build-message.ts'
import { Facts } from './facts.ts'

/** The shared feed of the proxy (docs/design.md#live-messages). */
export const livePath = '/live/builds'

export const liveEvents = {
  build: 'Build',
  builds: 'Builds',
  facts: 'Facts',
  status: 'Status',
  gap: 'Gap',
} as const

/** `event: Builds`: many at once, oldest first; its id is that of its last build. */
export const LiveBuilds = z.array(BuildMessage).check(z.minLength(1))

/** `event: Facts`: what has become known of a build that was announced before. */
export const LiveFacts = z.looseObject({ buildId: BuildId, facts: Facts })
export type LiveFacts = z.infer<typeof LiveFacts>

/**
 * `event: Status`: how the proxy stands with the upstream's stream, so that a reader can tell a
 * quiet upstream from a lost one.
 * - `connecting`: not yet answered
 * - `live`: answered, and heard from lately
 * - `polling`: the stream is refused; the build list is asked again and again
 * - `retrying`: lost, next attempt at `nextAttemptAt`
 * - `refused`: the upstream does not accept the proxy's credential; somebody must act
 * - `complete`: the upstream said that nothing more will come (204)
 * - `none`: no build server is configured
 */
export const LiveStatus = z.looseObject({
  upstream: z.enum(['connecting', 'live', 'polling', 'retrying', 'refused', 'complete', 'none']),
  /** Since when it is so, epoch ms by the build server's clock, as far as that is known. */
  since: EpochMs,
  /** That clock when this was sent, epoch ms: lets a reader correct for its own. */
  now: EpochMs,
  /** When the upstream last sent a byte, also a heartbeat. */
  lastHeardAt: z.nullable(EpochMs),
  nextAttemptAt: z.nullable(EpochMs),
  /** One plain sentence for people. */
  message: z.string(),
  /** Messages of the upstream that could not be read, since the proxy started. */
  malformed: z.int().check(z.nonnegative()),
  /** How many builds wait to be replayed to this reader, while it catches up. */
  backlog: z.optional(z.int().check(z.nonnegative())),
})
export type LiveStatus = z.infer<typeof LiveStatus>

/** `event: Gap`: the resume point is unknown; builds between it and what follows are missing. */
export const LiveGap = z.looseObject({
  /** The id that the reader asked to resume after, if it had the shape of one. */
  from: z.nullable(z.string()),
  /** The oldest build that is sent instead, if there is one. */
  oldest: z.nullable(BuildId),
  /** The server's history was unreadable: once it can be read the connection ends, for a new one to get all. */
  again: z.optional(z.boolean()),
})
export type LiveGap = z.infer<typeof LiveGap>
