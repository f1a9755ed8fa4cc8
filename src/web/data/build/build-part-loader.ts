import type { UnreadableEvent } from '../../../facts/build-collector.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { buildEventsPath, type ExportVersion } from '../../../protocol/build-export.ts'
import { chunksOf } from '../../../protocol/ndjson.ts'
import { problem, ProblemError, problemError } from '../../../protocol/problem.ts'
import { asProblem, attempts, isBusy } from '../core/attempts.ts'
import { eventStreamBody, silenceProblem } from '../core/event-source.ts'
import { sendSigned } from '../core/request.ts'
import { type IsOnline, networkProblem, problemOfResponse } from '../core/response.ts'
import type { SessionUse } from '../core/session.ts'
import { watchSilence } from '../core/silence-watch.ts'
import type { PartProgress } from './build-event-messages.ts'

/** How the reading of a part stands. Times are epoch ms by this browser's clock. */
export type PartState =
  /** Not loaded yet. */
  | { readonly state: 'idle' }
  /** Something was last heard at `since`; before, it was requested then. */
  | ({ readonly state: 'loading'; readonly since: number } & Amount)
  /** The server is not ready (503, 429): requested again at `nextAttemptAt`, for the nth time. */
  | {
      readonly state: 'waiting'
      readonly nextAttemptAt: number
      readonly attempt: number
      readonly problem: ProblemError
    }
  /** Broken off, by a fault or (null) by the reader; what came is kept and can be gone on from. */
  | ({ readonly state: 'stopped'; readonly because: ProblemError | null } & Amount)
  /** Refused before anything came. */
  | { readonly state: 'refused'; readonly problem: ProblemError }
  | ({ readonly state: 'complete' } & Amount)

export interface Amount {
  readonly events: number
  /** Through all connections together. */
  readonly bytes: number
  /** Events that could not be read, and the first of them. */
  readonly malformed: number
  readonly unreadable: readonly UnreadableEvent[]
}

export interface PartLoaderOptions {
  readonly buildId: string
  readonly read: ReadBuildStream
  readonly clock: Clock
  readonly random: () => number
  /** Notifies the worker that a connection begins; `anew` forgets what came before. */
  readonly open: (anew: boolean) => void
  /** Hands bytes to the worker; resolves when it can take more. */
  readonly hand: (bytes: Uint8Array) => Promise<void>
  /** Resolves when the worker has taken in all that it was handed. Never rejects. */
  readonly settled: () => Promise<void>
  readonly onState: (state: PartState) => void
}

export interface PartLoader {
  readonly load: (eventTypes: readonly string[]) => void
  readonly cancel: () => void
  /** Nobody looks any more: as if it had not been loaded, but what came is gone on from. */
  readonly leave: () => void
  /** The worker broke down, and all that came is lost. */
  readonly lose: () => void
  /** The worker took in bytes. */
  readonly onProgress: (progress: PartProgress, trouble: string | undefined) => void
}

const nothing: PartProgress = {
  events: 0,
  malformed: 0,
  unreadable: [],
  lastEventId: undefined,
  isFinished: false,
  isReplay: false,
  isAtBorder: true,
}

/**
 * Reads a part to its end, through as many connections as it takes: a build that is still being
 * stored is requested again and again, a stream that ends before the build does is gone on with
 * until the server has no more (docs/services.md#export-completion). A stream that
 * breaks, or ends in the middle of a message and brings no more, is left to the reader, who may go on. No failure escapes: it becomes a state.
 */
export function createPartLoader(options: PartLoaderOptions): PartLoader {
  const { clock, onState } = options
  let progress = nothing
  let bytes = 0
  let state: PartState = { state: 'idle' }
  let running: AbortController | undefined
  let types = ''

  function become(next: PartState): void {
    state = next
    onState(next)
  }

  function amount() {
    const { events, malformed, unreadable } = progress
    return { events, malformed, unreadable, bytes }
  }

  function loading(): PartState {
    return { state: 'loading', since: clock.now(), ...amount() }
  }

  async function readOnce(eventTypes: readonly string[], signal: AbortSignal) {
    const { lastEventId } = progress
    return options.read({
      buildId: options.buildId,
      eventTypes,
      lastEventId,
      signal,
      onOpen: () => {
        options.open(lastEventId === undefined)
        become(loading())
      },
      onBytes: async (piece) => {
        bytes += piece.length
        // A heartbeat brings no event that would be reported.
        if (state.state === 'loading' && clock.now() - state.since > heardEveryMs) become(loading())
        await options.hand(piece)
      },
    })
  }

  async function readAll(eventTypes: readonly string[], signal: AbortSignal): Promise<void> {
    for (let isOver = false; !isOver;) {
      const before = progress.events
      const outcome = await attempts(
        () => {
          if (state.state === 'waiting') become(loading())
          return readOnce(eventTypes, signal)
        },
        {
          clock,
          random: options.random,
          signal,
          mayRetry: isBusy,
          onWait: ({ problem, until, failures }) => {
            become({ state: 'waiting', attempt: failures + 1, problem, nextAttemptAt: until })
          },
        },
      )
      await options.settled()
      const { isFinished, isReplay, isAtBorder, events } = progress
      isOver = outcome === 'nothing-more' || isReplay || events === before
      if (isAtBorder) isOver ||= isFinished
      else if (events === before && outcome === 'ended' && !isReplay) throw brokenOff(undefined)
    }
  }

  async function run(eventTypes: readonly string[], control: AbortController): Promise<void> {
    become(loading())
    try {
      await readAll(eventTypes, control.signal)
      if (running === control) become({ state: 'complete', ...amount() })
    } catch (error) {
      await options.settled()
      // What began again meanwhile counts.
      if (running !== control) return
      become(stateAfter(control.signal.aborted ? control.signal.reason : error))
    } finally {
      if (running === control) running = undefined
    }
  }

  function stateAfter(reason: unknown): PartState {
    if (reason === replayed) return { state: 'complete', ...amount() }
    if (reason === left) return { state: 'idle' }
    if (reason === cancelled) return { state: 'stopped', because: null, ...amount() }
    const because = asProblem(reason)
    return progress.lastEventId === undefined
      ? { state: 'refused', problem: because }
      : { state: 'stopped', because, ...amount() }
  }

  return {
    load: (eventTypes) => {
      const wanted = eventTypes.join(',')
      const isRunning = running !== undefined && !running.signal.aborted
      if (wanted === types && (isRunning || state.state === 'complete')) return
      if (wanted !== types) {
        progress = nothing
        bytes = 0
      }
      types = wanted
      running?.abort(cancelled)
      running = new AbortController()
      void run(eventTypes, running)
    },
    cancel: () => {
      running?.abort(cancelled)
    },
    leave: () => {
      running?.abort(left)
    },
    lose: () => {
      if (state.state === 'idle') return
      progress = nothing
      bytes = 0
      if (running === undefined) become({ state: 'refused', problem: lost() })
      else running.abort(lost())
    },
    onProgress: (next, trouble) => {
      progress = next
      if (trouble !== undefined) running?.abort(unreadable(trouble))
      else if (next.isReplay) running?.abort(replayed)
      else if (state.state === 'loading') become(loading())
    },
  }
}

/** Why a reading was ended from here: by its reader, or as there was nothing more to come. */
const cancelled = 'cancelled'
const left = 'left'
const replayed = 'replayed'

function unreadable(trouble: string): ProblemError {
  const sentence = `Can't read any more events: ${trouble}.`
  return problemError(502, 'unreadable', 'Unreadable events', sentence)
}

function lost(): ProblemError {
  const sentence =
    "Reading the events failed: the browser ran out of memory, or couldn't load the code for it. Reload the page."
  return problemError(500, 'worker-broke', 'Reading failed', sentence)
}

export interface BuildStreamOptions {
  readonly fetch: typeof fetch
  readonly session: SessionUse
  readonly clock: Clock
  readonly isOnline: IsOnline
}

export interface BuildStreamRequest {
  readonly buildId: string
  readonly eventTypes: readonly string[]
  /** Goes on after this event; undefined begins at the beginning. */
  readonly lastEventId: string | undefined
  readonly signal: AbortSignal
  readonly onOpen: () => void
  /** Takes the next bytes; the ones after them are read when this is done. */
  readonly onBytes: (bytes: Uint8Array) => Promise<void>
}

/** So often it is reported that bytes come, ms. */
const heardEveryMs = 1000

/** No byte for so long, in the middle of a stream that has an end, is a dead connection; ms. */
const silentMs = 60_000

/**
 * Reads a build's own stream once, from the proxy (docs/services.md#export-events-of-a-build):
 * version 2, or version 1 where the server does not know version 2. Resolves with `nothing-more`
 * where the stream is complete (204), else with `ended` at its end. Throws a
 * ProblemError for anything else, and the reason of the abort where `signal` aborted.
 */
export type ReadBuildStream = (request: BuildStreamRequest) => Promise<'ended' | 'nothing-more'>

/** Makes the reader; which version the server speaks is found out once. */
export function createBuildStream(options: BuildStreamOptions): ReadBuildStream {
  const { clock, isOnline } = options
  let version: ExportVersion = 'v2'

  async function send(request: BuildStreamRequest, spoken: ExportVersion): Promise<Response> {
    const path = `/upstream/build-data${buildEventsPath(spoken, request.buildId, request.eventTypes)}`
    const { lastEventId, signal } = request
    return sendSigned(options, path, {
      headers: {
        accept: 'text/event-stream',
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
      signal,
    })
  }

  async function open(request: BuildStreamRequest): Promise<Response> {
    const response = await send(request, version)
    if (response.status !== 404 || version === 'v1') return response
    // A server of before version 2 does not know the address; one that does, not the build.
    const older = await send(request, 'v1')
    if (older.status === 404) {
      await older.body?.cancel()
      return response
    }
    await response.body?.cancel()
    version = 'v1'
    return older
  }

  return async (request) => {
    const { signal, onOpen, onBytes } = request
    // Not by `AbortSignal.any`, which browsers of 2023 don't have.
    const ended = new AbortController()
    const leave = (): void => {
      ended.abort(signal.reason)
    }
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave)
    let heardAt = clock.now()
    let hasBegun = false
    const endWatch = watchSilence({
      clock,
      limitMs: silentMs,
      lastHeardAt: () => heardAt,
      onSilent: () => {
        ended.abort(silenceProblem(silentMs))
      },
    })
    try {
      const response = await open({ ...request, signal: ended.signal })
      if (response.status === 204) return 'nothing-more'
      if (response.status !== 200) throw await refusal(response, version, clock.now())
      const body = chunksOf(await eventStreamBody(response))
      hasBegun = true
      onOpen()
      for await (const bytes of body) {
        heardAt = clock.now()
        await onBytes(bytes)
        // While the page takes its time, the server is not silent.
        heardAt = clock.now()
      }
      return 'ended'
    } catch (error) {
      if (signal.aborted) throw error
      if (ended.signal.aborted) throw networkProblem(ended.signal.reason, isOnline)
      throw hasBegun && isOnline() ? brokenOff(error) : networkProblem(error, isOnline)
    } finally {
      endWatch()
      signal.removeEventListener('abort', leave)
    }
  }
}

async function refusal(
  response: Response,
  version: ExportVersion,
  now: number,
): Promise<ProblemError> {
  const fault = await problemOfResponse(response, now)
  if (fault.status !== 400 || version !== 'v1') return fault
  const sentence =
    "The build server supports only version 1 of the build export, which has Gradle builds only. Events of other build tools aren't available."
  return new ProblemError(problem(400, 'version-1-only', 'Version 1 only', sentence), {
    cause: fault,
  })
}

function brokenOff(cause: unknown): ProblemError {
  if (cause instanceof ProblemError) return cause
  const sentence = 'The connection was lost before the last event.'
  return new ProblemError(problem(502, 'broken-off', 'Incomplete', sentence), { cause })
}
