import type { Logger } from 'pino'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import type { ExportVersion } from '../../../protocol/export-paths.ts'
import type { UpstreamClient } from '../upstream-client.ts'
import { createBackoff } from './backoff.ts'
import { createBuildList } from './build-list.ts'
import { pollBuildList } from './build-list-poll.ts'
import { attemptStream } from './stream-attempt.ts'
import type { KnownPosition, UpstreamPosition } from './upstream-position.ts'
import { initialStatus, type UpstreamStatus, upstreamSentences } from './upstream-status.ts'

export interface UpstreamStreamOptions {
  readonly client: UpstreamClient
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  readonly version: ExportVersion
  /** How long the upstream may send nothing at all, ms. */
  readonly idleMs: number
  /** How long the build list is polled before the refused stream is tried again, ms. */
  readonly streamRetryMs: number
  /** A build, in the upstream's order; whether it was new. */
  readonly onBuild: (build: BuildMessage) => boolean
  /** The upstream no longer knows where we were: builds after `from` may be missing. */
  readonly onGap: (from: string | null) => void
  readonly onStatus: () => void
  /** Waited for between reads: lets a burst pass no faster than its readers can take it. */
  readonly pace: () => Promise<void>
}

/** The one connection to the upstream, whatever the number of readers. */
export interface UpstreamStream {
  readonly status: () => UpstreamStatus
  /** Whether every build from some moment on is or will be told: the ground to join history to. */
  readonly anchored: () => boolean
  /** How often a stream was opened since the start. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

/**
 * Reads the upstream's builds from now on, for ever: over the export stream, resumed after the last
 * build that was passed on, or from the instant of the first connection while there was none; where
 * the stream is refused, by polling the build list. What is lost is retried with full jitter.
 */
export function openUpstreamStream(options: UpstreamStreamOptions): UpstreamStream {
  const { client, clock, logger } = options
  const closing = new AbortController()
  const { signal } = closing
  const backoff = createBackoff(options.random, longestWaitMs)
  let known: KnownPosition | undefined
  let status = initialStatus(clock.now())
  let connections = 0

  const change = (next: Partial<UpstreamStatus>): void => {
    const moved = next.upstream !== undefined && next.upstream !== status.upstream
    status = { ...status, nextAttemptAt: null, ...(moved ? { since: clock.now() } : {}), ...next }
    options.onStatus()
  }
  const onHeard = (): void => {
    status = { ...status, lastHeardAt: clock.now() }
  }
  const onBuild = (build: BuildMessage): boolean => {
    known = { kind: 'after', id: build.buildId, timestamp: build.timestamp }
    backoff.reset()
    return options.onBuild(build)
  }
  const onMalformed = (reason: string, id?: string): void => {
    logger.warn({ reason }, 'a message of the build server was skipped')
    // Resuming before it would bring it again, so it counts as read.
    if (id !== undefined) known = { kind: 'after', id, timestamp: timeOf(known) ?? clock.now() }
    change({ malformed: status.malformed + 1, nextAttemptAt: status.nextAttemptAt })
  }

  /** Waits for the next attempt and says until when. */
  const pause = async (next: Partial<UpstreamStatus>, retryAfterMs?: number): Promise<void> => {
    const delay = backoff.next(retryAfterMs)
    change({ ...next, nextAttemptAt: clock.now() + delay })
    await wait(clock, delay, signal)
  }
  const retry = (reason: string, retryAfterMs?: number): Promise<void> =>
    pause({ upstream: 'retrying', message: `${reason} Trying again.` }, retryAfterMs)

  const poll = async (refusal: number): Promise<void> => {
    const anchor: KnownPosition = (known ??= { kind: 'instant', at: clock.now() })
    const end = await pollBuildList({
      list: createBuildList(client, clock),
      clock,
      signal,
      until: clock.now() + options.streamRetryMs,
      position: () => known ?? anchor,
      onBuild,
      onMalformed: () => {
        onMalformed('not a build')
      },
      onAnswer: () => {
        backoff.reset()
        onHeard()
        if (status.upstream !== 'polling') {
          change({ upstream: 'polling', message: upstreamSentences.polling(refusal) })
        }
      },
    })
    if (signal.aborted || end.kind === 'done') return
    if (end.kind === 'failed') return retry(end.reason, end.retryAfterMs)
    return pause({ upstream: 'refused', message: upstreamSentences.refused(end.status) })
  }

  /** Reads from `position` until something ends that, waits if needed, and says where to go on. */
  const step = async (position: UpstreamPosition): Promise<UpstreamPosition | 'closed'> => {
    const startedAt = clock.now()
    const before = connections
    const end = await attemptStream(position, {
      ...options,
      signal,
      onHeard,
      onBuild,
      onMalformed,
      onRetry: backoff.setBase,
      onOpen: (serverTime) => {
        connections++
        known ??= { kind: 'instant', at: serverTime }
        onHeard()
        change({ upstream: 'live', message: upstreamSentences.live })
      },
    })
    // A server that answers and hangs up at once has not recovered.
    if (connections > before && clock.now() - startedAt > settledMs) backoff.reset()
    if (signal.aborted) return 'closed'
    switch (end.kind) {
      case 'complete':
        known ??= { kind: 'instant', at: clock.now() }
        change({ upstream: 'complete', message: upstreamSentences.complete })
        return 'closed'
      case 'unknown-position':
        return loosen(position)
      case 'unauthorized':
        await pause({ upstream: 'refused', message: upstreamSentences.refused(401) })
        break
      case 'refused':
        await poll(end.status)
        break
      case 'lost':
      case 'failed':
        await retry(end.reason, end.kind === 'failed' ? end.retryAfterMs : undefined)
        break
    }
    return known ?? { kind: 'now' }
  }

  /** Where to try next when the server does not know a position: its time, then what is to come. */
  const loosen = (position: UpstreamPosition): UpstreamPosition => {
    if (position.kind === 'after' && position.timestamp !== undefined) {
      return { kind: 'instant', at: position.timestamp }
    }
    options.onGap(known?.kind === 'after' ? known.id : null)
    known = undefined
    return { kind: 'now' }
  }

  const run = async (): Promise<void> => {
    let position: UpstreamPosition | 'closed' = { kind: 'now' }
    while (position !== 'closed') position = await step(position)
  }

  const running = run()
  return {
    status: () => status,
    anchored: () => known !== undefined,
    connections: () => connections,
    close: async () => {
      closing.abort()
      await running
    },
  }
}

/** One connection asks for all readers, and walls are whole again 15 s after the server is back. */
const longestWaitMs = 10_000
/** How long a connection must have lasted for the next one to be tried soon. */
const settledMs = 10_000

function timeOf(position: KnownPosition | undefined): number | undefined {
  return position?.kind === 'after' ? position.timestamp : position?.at
}
