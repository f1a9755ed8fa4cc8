import type { Logger } from 'pino'
import type { ExportVersion } from '../../../protocol/build-export.ts'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import type { LiveStatus } from '../../../protocol/live-feed.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import {
  type BuildList,
  createBuildList,
  type KnownPosition,
  type UpstreamPosition,
} from './build-list.ts'
import type { OnLoss } from './build-reader.ts'
import { attemptStream, createSilenceLimit } from './stream-attempt.ts'
import { createBackoff } from './upstream-fetch.ts'
import { withAnyOf } from './waiters.ts'

export interface UpstreamStreamOptions {
  readonly client: UpstreamClient
  readonly clock: Clock
  /** How far the upstream's clock is ahead of it, ms. */
  readonly clockSkewMs?: (() => number) | undefined
  /** The version of the export stream that the upstream speaks. */
  readonly spoken?: (() => ExportVersion | null) | undefined
  readonly random: () => number
  readonly logger: Logger
  readonly onLoss: OnLoss
  /** How long the upstream may send nothing at all, ms. */
  readonly idleMs: number
  /** How long the build list is polled before the refused stream is tried again, ms. */
  readonly streamRetryMs: number
  /** Where to go on; undefined: with what is to come. */
  readonly from: KnownPosition | undefined
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
  /**
   * Every build that the upstream received from this instant on (epoch ms) is or will be passed on:
   * the ground to join history to. Undefined while there is none.
   */
  readonly anchor: () => number | undefined
  /** How often a stream was opened since the start. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

/**
 * Reads the upstream's builds from a position on, for ever: over the export stream, resumed after the
 * last build that was passed on, or from the instant of the first connection while there was none; where
 * the stream is refused, by polling the build list. What is lost is retried with full jitter.
 */
export function openUpstreamStream(options: UpstreamStreamOptions): UpstreamStream {
  const { client, clock, logger, clockSkewMs = () => 0 } = options
  const closing = new AbortController()
  const { signal } = closing
  const backoff = createBackoff(options.random, longestWaitMs)
  const silence = createSilenceLimit(options.idleMs)
  const list = createBuildList(client, clock, options.onLoss)
  const startedAt = clock.now()
  let known = options.from
  /** What is earlier isn't wanted from the build list. */
  let floor: number | undefined
  let lookedBackAt = startedAt
  let status = initialStatus(startedAt)
  let connections = 0
  /** Streams in a row that were opened, and of which nothing came. */
  let mute = 0
  /** The build list is polled where a stream's headers take longer. */
  let headersMs = options.idleMs / 3

  const change = (next: Partial<UpstreamStatus>): void => {
    const moved = next.upstream !== undefined && next.upstream !== status.upstream
    status = { ...status, nextAttemptAt: null, ...(moved ? { since: clock.now() } : {}), ...next }
    options.onStatus()
  }
  const onHeard = (): void => {
    mute = 0
    status = { ...status, lastHeardAt: clock.now() }
  }
  const serverNow = (): number => clock.now() + clockSkewMs()
  /** When a build was received: never before the one before it or after now, whatever it says. */
  const receivedAt = (timestamp: number): number =>
    Math.min(Math.max(timestamp, timeOf(known) ?? 0), serverNow())
  const onBuild = (build: BuildMessage): boolean => {
    known = { kind: 'after', id: build.buildId, timestamp: receivedAt(build.timestamp) }
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
    const delay = backoff.next(Math.min(retryAfterMs ?? 0, longestAskedMs))
    change({ ...next, nextAttemptAt: clock.now() + delay })
    await wait(clock, delay, signal)
  }
  const retry = (reason: string, retryAfterMs?: number): Promise<void> =>
    pause(retrying(reason), retryAfterMs)

  /** A minute back, and once a minute further: a slow upload may be listed far behind the newest builds. */
  const walkStart = (): KnownPosition => {
    const position: KnownPosition = (known ??= { kind: 'instant', at: serverNow() })
    if (position.kind === 'instant') floor ??= position.at
    const time = timeOf(position)
    if (position.kind === 'instant' || time === undefined) return position
    floor ??= earlier(time)
    const looksBack = clock.now() - lookedBackAt >= lookBackEveryMs
    if (looksBack) lookedBackAt = clock.now()
    return { kind: 'instant', at: Math.max(looksBack ? time - lookBackMs : earlier(time), floor) }
  }

  /** `refusal`: what the stream responded; undefined where that is nothing. */
  const poll = async (refusal: number | undefined): Promise<void> => {
    const end = await pollBuildList({
      list,
      clock,
      signal,
      until: clock.now() + options.streamRetryMs,
      serverNow,
      walkStart,
      isRecent: ({ timestamp }) => timestamp >= earlier(timeOf(known) ?? 0),
      onBuild,
      onMalformed: () => {
        onMalformed('not a build')
      },
      onAnswer: () => {
        backoff.reset()
        onHeard()
        headersMs = options.idleMs / 3
        if (status.upstream !== 'polling') {
          change({ upstream: 'polling', message: upstreamSentences.polling(refusal) })
        }
      },
    })
    if (signal.aborted || end.kind === 'done') return
    if (refusal === undefined) {
      // Nothing else may bring builds, so it is waited for longer.
      headersMs = options.idleMs
      const list =
        end.kind === 'failed' ? end.reason : `Its build list responds with ${end.status}.`
      return retry(`${silentSentence} ${list}`)
    }
    if (end.kind === 'failed') return retry(end.reason, end.retryAfterMs)
    const worst = refusal === 401 ? refusal : end.status
    return pause({ upstream: 'refused', message: upstreamSentences.refused(worst) })
  }

  /** Reads from `position` until something ends that, waits if needed, and says where to go on. */
  const step = async (position: UpstreamPosition): Promise<UpstreamPosition | 'closed'> => {
    const startedAt = clock.now()
    const before = connections
    const givesAll = new AbortController()
    let isFirst = true
    const end = await withAnyOf([signal, givesAll.signal], (either) =>
      attemptStream(position, {
        ...options,
        headersMs,
        silence,
        signal: either,
        onHeard,
        onBuild: (build) => {
          // Some give all that they have after a build that they don't know.
          if (isFirst && isLongBefore(build, position)) givesAll.abort()
          isFirst = false
          if (!givesAll.signal.aborted) onBuild(build)
        },
        onMalformed,
        onRetry: backoff.setBase,
        onOpen: (serverTime) => {
          connections++
          known ??= { kind: 'instant', at: serverTime }
          status = { ...status, lastHeardAt: clock.now() }
          const message = upstreamSentences[options.spoken?.() === 'v1' ? 'gradleOnly' : 'live']
          change({ upstream: 'live', message })
        },
      }),
    )
    // A server that answers and hangs up at once has not recovered.
    if (connections > before && clock.now() - startedAt > settledMs) backoff.reset()
    if (signal.aborted) return 'closed'
    if (givesAll.signal.aborted) return loosen(position)
    switch (end.kind) {
      case 'complete':
        known ??= { kind: 'instant', at: clock.now() }
        change({
          upstream: 'complete',
          message: upstreamSentences.complete,
          nextAttemptAt: clock.now() + completeRetryMs,
        })
        await wait(clock, completeRetryMs, signal)
        break
      case 'absent':
        change({ upstream: 'none', message: end.reason })
        return 'closed'
      case 'unknown-position':
        return loosen(position)
      case 'refused':
        await poll(end.status)
        break
      case 'silent':
        if (end.isOpen && ++mute < 2) await retry(end.reason)
        else {
          change(retrying(silentSentence))
          await poll(undefined)
        }
        break
      case 'lost':
        // Whoever misses its heartbeats has not heard it since the last one.
        await pause({
          ...retrying(end.reason),
          ...(end.isMute === true ? { since: status.lastHeardAt ?? clock.now() } : {}),
        })
        break
      case 'failed':
        await retry(end.reason, end.retryAfterMs)
        break
    }
    return known ?? { kind: 'now' }
  }

  /** Where to try next when the server does not know a position: its time, then what is to come. */
  const loosen = (position: UpstreamPosition): UpstreamPosition => {
    if (position.kind === 'after' && position.timestamp !== undefined) {
      return { kind: 'instant', at: earlier(Math.min(position.timestamp, serverNow())) }
    }
    options.onGap(known?.kind === 'after' ? known.id : null)
    known = undefined
    return { kind: 'now' }
  }

  const run = async (): Promise<void> => {
    let position: UpstreamPosition | 'closed' = known ?? { kind: 'now' }
    while (position !== 'closed') position = await step(position)
  }

  const running = run()
  return {
    status: () => status,
    anchor: () => (known === undefined ? undefined : (timeOf(known) ?? startedAt)),
    connections: () => connections,
    close: async () => {
      closing.abort()
      await running
    },
  }
}

/** So far the times of builds may be out of order: what was taken is not taken again. */
const overlapMs = 60_000

function earlier(instant: number): number {
  return Math.max(0, instant - overlapMs)
}

/** How often the polled list is looked through for what got a place far behind the newest builds. */
const lookBackEveryMs = 60_000
/** What is up to 15 minutes late is found so, and still known once it was taken. */
const lookBackMs = 15 * 60_000 + lookBackEveryMs

function isLongBefore({ timestamp }: BuildMessage, position: UpstreamPosition): boolean {
  return (
    position.kind === 'after' &&
    position.timestamp !== undefined &&
    timestamp < position.timestamp - longBeforeMs
  )
}

const longBeforeMs = 600_000

/** What people would be advised to do is done by itself. */
function retrying(reason: string): Pick<UpstreamStatus, 'upstream' | 'message'> {
  return {
    upstream: 'retrying',
    message: `${reason.replace(/ Try again\.$/, '')} Reconnecting.`,
  }
}

/** One connection asks for all readers, and walls are whole again 15 s after the server is back. */
const longestWaitMs = 10_000
/** One connection is no burden: a server that asks for more may be back long before. */
const longestAskedMs = 300_000
/** A server that says it is complete may be restored, or have meant only what it had then. */
const completeRetryMs = 180_000
/** How long a connection must have lasted for the next one to be tried soon. */
const settledMs = 10_000

function timeOf(position: KnownPosition | undefined): number | undefined {
  return position?.kind === 'after' ? position.timestamp : position?.at
}

/** How the hub stands with the upstream: what every `Status` message says, but for the time. */
export type UpstreamStatus = Pick<
  LiveStatus,
  'upstream' | 'since' | 'lastHeardAt' | 'nextAttemptAt' | 'message' | 'malformed'
>

/** What is known before the first attempt. */
export function initialStatus(now: number): UpstreamStatus {
  return {
    upstream: 'connecting',
    since: now,
    lastHeardAt: null,
    nextAttemptAt: null,
    message: 'Connecting to the build server.',
    malformed: 0,
  }
}

const silentSentence = "The build server's export stream sends nothing."

const listedLate = 'Builds that it lists more than 15 minutes late may be missing.'

/** What people are told: what is so, and who has to do what. */
const upstreamSentences = {
  live: 'Builds arrive as the build server reports them.',
  gradleOnly:
    'Builds arrive as the build server reports them: Gradle builds only, as it supports only version 1 of the build export.',
  complete:
    'The build server says that no more builds will come (204). Sightline asks again every few minutes.',
  polling: (status: number | undefined): string =>
    status === undefined
      ? `${silentSentence.slice(0, -1)}, so its build list is polled every few seconds. ${listedLate} Check proxies before the build server, which may hold back streams.`
      : status === 401 || status === 403
        ? `The build server ${status === 401 ? "rejects Sightline's credentials for" : 'denies access to'} its export stream (${status}), so its build list is polled every few seconds. ${listedLate} Give the access key's user the permission "Export API".`
        : `The build server has no export stream (404), or the access key's user lacks the permission, so its build list is polled every few seconds. ${listedLate}`,
  refused: (status: number): string =>
    status === 401
      ? "The build server rejects Sightline's credentials (401). An administrator must set a valid SIGHTLINE_BUILD_DATA_ACCESS_KEY (or SIGHTLINE_BUILD_DATA_BASIC)."
      : `The build server denies access to its export stream and its build list (${status}). Give the access key's user the permissions "Export API" and "Access build data via the API".`,
} as const

/** How polling ended. */
export type PollEnd =
  /** It is time to try the stream again. */
  | { readonly kind: 'done' }
  /** 401, 403 or 404: the list is refused as well. */
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs?: number | undefined }

export interface PollOptions {
  readonly list: BuildList
  readonly clock: Clock
  readonly signal: AbortSignal
  /** When to stop, epoch ms. */
  readonly until: number
  /** The server's clock, as well as it is known, epoch ms. */
  readonly serverNow: () => number
  /** Where a walk begins: what was passed on moves it. */
  readonly walkStart: () => KnownPosition
  /** Whether a build is among those that each walk passes. */
  readonly isRecent: (build: BuildMessage) => boolean
  readonly onBuild: (build: BuildMessage) => unknown
  readonly onMalformed: () => void
  /** The server answered, with builds or without. */
  readonly onAnswer: () => void
}

/**
 * Walks the build list again and again: the way in where the export stream is refused. As it is
 * sorted by time and times may be out of order, each walk begins before the newest build. New servers hold
 * the last request of a walk until a build arrives; others are asked every few seconds. Never throws.
 */
async function pollBuildList(options: PollOptions): Promise<PollEnd> {
  const { list, clock, signal, walkStart, onBuild } = options
  let walk = list.walk(walkStart())
  let begunAt = clock.now()
  // Whether it is answered at all is known before a server has held a request for long.
  let waitSecs = 1
  while (!signal.aborted && clock.now() < options.until) {
    const askedAt = clock.now()
    try {
      const page = await walk.next(waitSecs, signal)
      options.onAnswer()
      for (let count = 0; count < page.malformed; count++) options.onMalformed()
      for (const build of page.builds) onBuild(build)
      const last = page.builds.at(-1)
      // The way to the newest builds may be long, but it ends.
      if (last !== undefined && !options.isRecent(last)) begunAt = clock.now()
      if (last === undefined && clock.now() - askedAt < pauseMs) await wait(clock, pauseMs, signal)
      if (last === undefined || clock.now() - begunAt > longestWalkMs) {
        walk = list.walk(walkStart())
        begunAt = clock.now()
      }
      // Behind a build that is dated ahead nothing is to be waited for.
      waitSecs = last !== undefined && last.timestamp > options.serverNow() ? 1 : 20
    } catch (error) {
      if (!(error instanceof ProblemError)) {
        return { kind: 'failed', reason: "Can't reach the build server." }
      }
      const { status } = error
      return status === 401 || status === 403 || status === 404
        ? { kind: 'refused', status }
        : { kind: 'failed', reason: error.message, retryAfterMs: error.retryAfterMs }
    }
  }
  return { kind: 'done' }
}

/** While builds come, those that are dated before them are found so soon. */
const longestWalkMs = 10_000
/** Between two answers without news from a server that does not hold requests. */
const pauseMs = 3000
