import { retryAfterMs } from '../../../protocol/back-off.ts'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { isRetryable, ProblemError } from '../../../protocol/problem.ts'
import { buildDataAllowList } from '../upstream/routes.ts'
import type { UpstreamClient, UpstreamResponse } from '../upstream/upstream-client.ts'
import { misdirection } from '../upstream/upstream-response.ts'
import { isNoBuildServer } from '../upstream/upstream.ts'
import { exportEndpoint, exportPath, type UpstreamPosition } from './build-list.ts'
import { createBuildReader, type OnLoss } from './build-reader.ts'
import { buildDataUrlSetting, createWatchdog, plainBody } from './upstream-fetch.ts'

/** How an attempt to read the stream ended. */
export type AttemptEnd =
  /** It was read, and then it ended, broke or fell silent. */
  /** `isMute`: it was open, and sent nothing any more though it had sent heartbeats. */
  | { readonly kind: 'lost'; readonly reason: string; readonly isMute?: boolean }
  /** It could not be read now: another attempt may succeed. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs?: number | undefined }
  /** Nothing at all came, or nothing behind the headers (`isOpen`), for as long as was waited. */
  | { readonly kind: 'silent'; readonly reason: string; readonly isOpen: boolean }
  /** 204: nothing more will come (docs/services.md#export-completion). */
  | { readonly kind: 'complete' }
  /** 401, 403 or 404: the credential is not accepted, its user may not read the stream, or there is none. */
  | { readonly kind: 'refused'; readonly status: number }
  /** No build server is configured. */
  | { readonly kind: 'absent'; readonly reason: string }
  /** The server does not know the build, or the instant is in its future. */
  | { readonly kind: 'unknown-position' }

export interface AttemptOptions {
  readonly client: UpstreamClient
  readonly clock: Clock
  /** How long nothing may come, not even a heartbeat, in ms. */
  readonly idleMs: number
  /** How long its headers may take, in ms. */
  readonly headersMs: number
  /** What earlier connections have shown. */
  readonly silence: SilenceLimit
  readonly signal: AbortSignal
  /** The server answered; the time is its own where it tells, in epoch ms. */
  readonly onOpen: (serverTime: number) => void
  /** Bytes came, of whatever kind. */
  readonly onHeard: () => void
  readonly onBuild: (build: BuildMessage) => void
  readonly onMalformed: (reason: string, id: string | undefined) => void
  readonly onRetry: (ms: number) => void
  readonly onLoss: OnLoss
  /** Waited for between reads: lets a burst pass no faster than its readers can take it. */
  readonly pace: () => Promise<void>
}

/**
 * Opens the export stream at a position and reads it until it ends. Never throws: every end is
 * one of the kinds above. Resumes both by address and by Last-Event-ID, as servers may heed either.
 */
export async function attemptStream(
  position: UpstreamPosition,
  options: AttemptOptions,
): Promise<AttemptEnd> {
  const { client, clock, silence } = options
  const watchdog = createWatchdog(clock, options.headersMs, options.signal)
  let open = false
  let isHeard = false
  try {
    const response = await client.request({
      path: exportPath(position, true),
      headers: requestHeaders(position),
      signal: watchdog.signal,
      // The watchdog is before it.
      headersTimeoutMs: 2 * options.headersMs,
    })
    watchdog.feed()
    const end = endFromStatus(response, position, clock.now())
    if (end !== undefined) {
      response.cancel()
      return end
    }
    open = true
    options.onOpen(serverTime(response, clock.now()))
    const endpoint = exportEndpoint(position)
    const reader = createBuildReader({
      ...options,
      onLoss: (loss) => {
        options.onLoss({ ...loss, endpoint })
      },
    })
    silence.opened(clock.now())
    watchdog.expect(silence.limitMs())
    for await (const bytes of plainBody(response)) {
      watchdog.feed()
      silence.heard(bytes, clock.now(), reader.isAtBorder())
      watchdog.expect(silence.limitMs())
      isHeard = true
      options.onHeard()
      reader.feed(bytes)
      // Meanwhile it is us who do not read.
      watchdog.pause()
      await options.pace()
      watchdog.feed()
    }
    return {
      kind: 'lost',
      reason: watchdog.barked() ? silent : 'The build server ended the stream.',
    }
  } catch (error) {
    if (watchdog.barked()) {
      silence.missed(clock.now())
      if (!isHeard) return { kind: 'silent', reason: silent, isOpen: open }
      return { kind: 'lost', reason: silent, isMute: silence.isPromised() }
    }
    if (isNoBuildServer(error)) return { kind: 'absent', reason: error.message }
    if (open) return { kind: 'lost', reason: 'The connection to the build server was lost.' }
    return error instanceof ProblemError
      ? { kind: 'failed', reason: error.message, retryAfterMs: error.retryAfterMs }
      : { kind: 'failed', reason: "Can't reach the build server." }
  } finally {
    watchdog.stop()
  }
}

/** How long streams of a server may say nothing, by what they have sent so far. */
export interface SilenceLimit {
  /** A connection begins at `now`, epoch ms. */
  readonly opened: (now: number) => void
  /** `isAtBorder`: they begin where no message has begun. */
  readonly heard: (bytes: Uint8Array, now: number, isAtBorder: boolean) => void
  /** A connection was given up for its silence. */
  readonly missed: (now: number) => void
  /** In ms. */
  readonly limitMs: () => number
  /** Whether it has sent heartbeats often enough to be missed when they stop. */
  readonly isPromised: () => boolean
}

/**
 * A server whose heartbeats come every few seconds is frozen long before one that never promised any
 * (docs/services.md#export-heartbeats); the promise holds for its later connections, too. One that goes
 * on at once with a new connection was not frozen, and is given longer from then on.
 */
export function createSilenceLimit(idleMs: number): SilenceLimit {
  let heartbeats = 0
  let longestMs = 0
  let lastAt = 0
  let missedAt = -Infinity
  return {
    opened: (now) => {
      if (now - missedAt < atOnceMs) longestMs = Math.max(longestMs, missedAt - lastAt)
      missedAt = -Infinity
      lastAt = now
    },
    missed: (now) => {
      missedAt = now
    },
    heard: (bytes, now, isAtBorder) => {
      longestMs = Math.max(longestMs, now - lastAt)
      lastAt = now
      // Comments alone are a heartbeat: one before a build is none, nor is a colon inside of it.
      if (
        isAtBorder &&
        bytes[0] === colon &&
        comments.test(String.fromCharCode(...bytes.slice(0, 200)))
      ) {
        heartbeats++
      }
    },
    isPromised: () => heartbeats >= promised,
    limitMs: () =>
      heartbeats < promised ? idleMs : Math.min(idleMs, Math.max(8000, 2 * longestMs + 2000)),
  }
}

const colon = 58
/** Whole lines, of which the last is blank. */
const comments = /^(?::[^\r\n]*(?:\r\n|\r|\n))+(?:\r\n|\r|\n)+$/
/** A new connection that comes so soon after a silence disproves it; a frozen server takes longer. */
const atOnceMs = 4000
/** So many heartbeats are a promise of more. */
const promised = 3

const silent = 'The build server stopped sending data.'

function requestHeaders(position: UpstreamPosition): Record<string, string> {
  const headers = { accept: 'text/event-stream', 'accept-encoding': 'identity' }
  return position.kind === 'after' ? { ...headers, 'last-event-id': position.id } : headers
}

/** What a status says other than "here is the stream". */
function endFromStatus(
  response: UpstreamResponse,
  position: UpstreamPosition,
  now: number,
): AttemptEnd | undefined {
  const { status } = response
  if (status === 204) return { kind: 'complete' }
  if (isUnknownPosition(status, position)) return { kind: 'unknown-position' }
  if (status === 401 || status === 403 || status === 404) return { kind: 'refused', status }
  const elsewhere = misdirection(response, buildDataAllowList.name, buildDataUrlSetting)
  if (elsewhere !== undefined) return { kind: 'failed', reason: elsewhere }
  if (status !== 200) {
    const isBusy = status === 429 || status === 503
    const wait = isRetryable(status) ? retryAfterMs(response.header, now) : undefined
    return {
      kind: 'failed',
      reason: isBusy
        ? `The build server is busy (${status}).`
        : `The build server responded with ${status}.`,
      retryAfterMs: wait,
    }
  }
  const type = response.header('content-type')?.toLowerCase() ?? ''
  const isStream = type.startsWith('text/event-stream')
  return isStream
    ? undefined
    : {
        kind: 'failed',
        reason: `The build server's response isn't an event stream. Check ${buildDataUrlSetting} and what stands in front of the server.`,
      }
}

/** A build may be unknown (or deleted); an instant can only be in the future. */
function isUnknownPosition(status: number, position: UpstreamPosition): boolean {
  if (position.kind === 'now') return false
  return status === 400 || (position.kind === 'after' && (status === 404 || status === 410))
}

/** The upstream's clock decides what is new to it; its Date header has whole seconds. */
function serverTime(response: UpstreamResponse, now: number): number {
  const date = Date.parse(response.header('date') ?? '')
  return Number.isNaN(date) ? now : date
}
