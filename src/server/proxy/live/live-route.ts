import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import { isBuildId } from '../../../protocol/build-message.ts'
import type { Since } from '../../../protocol/build-export.ts'
import { mayDo } from '../../../protocol/permission.ts'
import { problemError } from '../../../protocol/problem.ts'
import type { Outgoing, ProxyEnv } from '../sessions.ts'
import { dataHeaders } from '../security-headers.ts'
import type { LogState } from '../../live-log/live-log.ts'
import type { Follower } from './shared-status.ts'
import type { UpstreamStatus } from './upstream-stream.ts'

/**
 * `GET /live/builds` and `GET /live/changes`: checks what is asked and hands Node's own response to the live feed, which
 * writes to it directly (docs/design.md#live-hub-writes-to-node). HEAD gets the head of a stream
 * and no stream. Throws a ProblemError 400 for a `since` that is neither `now` nor epoch ms.
 */
export function liveRoute(live: Pick<LiveEndpoint, 'handle'>): (c: Context<ProxyEnv>) => Response {
  return (c) => {
    const request = liveRequest(c)
    if (c.req.raw.method === 'HEAD') {
      return new Response(null, {
        headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
      })
    }
    const { outgoing } = c.env
    if (outgoing === undefined) throw new Error('the live feed needs a socket')
    for (const [name, value] of Object.entries(dataHeaders)) outgoing.setHeader(name, value)
    live.handle(request, outgoing)
    return RESPONSE_ALREADY_SENT
  }
}

function liveRequest(c: Context<ProxyEnv>): LiveRequest {
  const lastEventId = c.req.header('last-event-id') ?? ''
  const wellFormed = isBuildId(lastEventId)
  const { holder, expiresAt, ended, user } = c.get('session')
  return {
    since: sinceOf(c.req.queries('since') ?? []),
    batch: c.req.queries('batch') !== undefined,
    lastEventId: wellFormed ? lastEventId : undefined,
    lastEventIdMalformed: lastEventId !== '' && !wellFormed,
    session: { holder, expiresAt, ended, ...(mayDo(user, 'read') ? {} : { isScreen: true }) },
    gzip: /\bgzip\b/i.test(c.req.header('accept-encoding') ?? ''),
  }
}

function sinceOf(values: readonly string[]): Since {
  const [value = 'now', ...more] = values
  if (more.length === 0 && value === 'now') return value
  if (more.length === 0 && /^\d{1,15}$/.test(value)) return Number(value)
  throw problemError(
    400,
    'bad-since',
    'Bad query',
    '"since" must be "now" or a time in milliseconds since 1970 (0 for everything stored).',
  )
}

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
  /** Whose connection it is, for the cap per person or screen, and when it must end (epoch ms). */
  readonly session: {
    readonly holder: string
    readonly expiresAt: number
    /** Aborts when it was revoked: the stream ends at once. */
    readonly ended: AbortSignal
    /** It hears only of what walls show. */
    readonly isScreen?: boolean
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

/** How the live feed stands with the build server, and how fast builds come. */
export interface LiveUpstream extends UpstreamStatus {
  /** When the newest build that came live was received, epoch ms by the build server's clock. */
  readonly newestBuildAt: number | null
  /** How long the newest builds took to come here, the last one last: ms between the two clocks. */
  readonly deliveriesMs: readonly number[]
}

/** The live log, as this process sees it. */
export interface LiveLogUse extends LogState {
  readonly follower: Follower
}

/**
 * The live feed as the rest of the proxy sees it. `handle` owns the response from then on: it
 * writes the head (also a refusal, as a problem detail) and ends it.
 */
export interface LiveEndpoint {
  readonly handle: (request: LiveRequest, outgoing: Outgoing) => void
  readonly metrics: () => LiveMetrics
  /** How it stands with the build server. */
  readonly upstream?: () => LiveUpstream
  /** How the log stands that the feed comes from, and who follows the build server. */
  readonly liveLog?: () => LiveLogUse
  /** How many builds are replayed at most, for `GET /config`. */
  readonly history: number
}
