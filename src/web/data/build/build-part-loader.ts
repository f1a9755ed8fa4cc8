import { type Clock, wait } from '../../../protocol/clock.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { backOffMs } from '../../../protocol/back-off.ts'
import type { PartProgress } from './build-event-messages.ts'
import type { ReadBuildStream } from './build-event-stream.ts'
import type { PartState } from './build-events.ts'

/** What a part is read with. */
export interface PartLoaderOptions {
  readonly buildId: string
  readonly read: ReadBuildStream
  readonly clock: Clock
  readonly random: () => number
  /** Tells the worker that a connection begins; `anew` forgets what came before. */
  readonly open: (anew: boolean) => void
  /** Hands bytes to the worker; resolves when it can take more. */
  readonly hand: (bytes: Uint8Array) => Promise<void>
  /** Resolves when the worker has taken in all that it was handed. Never rejects. */
  readonly settled: () => Promise<void>
  readonly onState: (state: PartState) => void
}

/** Reads one part of a build's events. */
export interface PartLoader {
  readonly load: (eventTypes: readonly string[]) => void
  readonly cancel: () => void
  /** Nobody looks any more: as if it had not been asked for, but what came is gone on from. */
  readonly leave: () => void
  /** The worker broke down, and all that came is lost. */
  readonly lose: () => void
  /** The worker took in bytes. */
  readonly onProgress: (progress: PartProgress, trouble: string | undefined) => void
}

const nothing: PartProgress = {
  events: 0,
  malformed: 0,
  lastEventId: undefined,
  isFinished: false,
  isReplay: false,
}

/**
 * Reads a part to its end, through as many connections as it takes: a build that is still being
 * stored is asked for again and again, a stream that ends before the build does is gone on with
 * until the server says that there is no more (docs/services.md#export-completion). A stream that
 * breaks is left to the reader, who may go on. No failure escapes: it becomes a state.
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
    return { events: progress.events, malformed: progress.malformed, bytes }
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
        become({ state: 'loading', ...amount() })
      },
      onBytes: async (piece) => {
        bytes += piece.length
        await options.hand(piece)
      },
    })
  }

  async function readAll(eventTypes: readonly string[], signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ;) {
      try {
        const before = progress.events
        const outcome = await readOnce(eventTypes, signal)
        await options.settled()
        const isOver = progress.isFinished || progress.isReplay || progress.events === before
        if (outcome === 'nothing-more' || isOver) return
        attempt = 1
      } catch (error) {
        if (signal.aborted || !isNotReady(error)) throw error
        const waitMs = waitAfter(error, attempt)
        attempt += 1
        become({ state: 'waiting', attempt, problem: error, nextAttemptAt: clock.now() + waitMs })
        await wait(clock, waitMs, signal)
        signal.throwIfAborted()
        become({ state: 'loading', ...amount() })
      }
    }
  }

  function waitAfter({ retryAfterMs }: ProblemError, failures: number): number {
    return backOffMs({ failures, retryMs: undefined, retryAfterMs, random: options.random })
  }

  async function run(eventTypes: readonly string[], control: AbortController): Promise<void> {
    become({ state: 'loading', ...amount() })
    try {
      await readAll(eventTypes, control.signal)
      if (running === control) become({ state: 'complete', ...amount() })
    } catch (error) {
      await options.settled()
      // Whoever began again meanwhile has the word.
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
      else if (state.state === 'loading') become({ state: 'loading', ...amount() })
    },
  }
}

/** Why a reading was ended from here: by its reader, or as there was nothing more to come. */
const cancelled = 'cancelled'
const left = 'left'
const replayed = 'replayed'

/** The server asks to come again: the build is still being stored, or it is busy. */
function isNotReady(error: unknown): error is ProblemError {
  if (!(error instanceof ProblemError)) return false
  const isFromServer = !/:(?:unreachable|offline)$/.test(error.problem.type)
  return isFromServer && (error.status === 503 || error.status === 429)
}

function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  const sentence = 'Something went wrong in this page while it read the events.'
  return new ProblemError(problem(500, 'unexpected', 'Unexpected', sentence), { cause: error })
}

function unreadable(trouble: string): ProblemError {
  const sentence = `The events cannot be read any further: ${trouble}.`
  return new ProblemError(problem(502, 'unreadable', 'Unreadable events', sentence))
}

function lost(): ProblemError {
  const sentence =
    'The part of this page that reads the events broke down; it may be out of memory.'
  return new ProblemError(problem(500, 'worker-broke', 'Reading broke down', sentence))
}
