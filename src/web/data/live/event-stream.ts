import * as z from 'zod/mini'
import { shortestWaitMs } from '../../../protocol/back-off.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { isRetryable, problemError, type ProblemError } from '../../../protocol/problem.ts'
import { asProblem, type Attempt, attempts } from '../core/attempts.ts'
import { readEventSource, StreamMessage } from '../core/event-source.ts'
import { type IsOnline, isInFront, networkProblem } from '../core/response.ts'

const defaultMaxLineBytes = 1024 * 1024
/** Two and a half times the proxy's heartbeat of 15 s. */
const defaultSilenceLimitMs = 37_500
const heardEveryMs = 1000
/** So long a stream may be away before anybody is told. */
const unnoticedMs = 2000

/**
 * What happens to a stream, in this order. Plain data, because tabs that share
 * one stream pass it on to each other. Times are epoch ms by this browser's clock; a `reason` is
 * one sentence for people.
 */
export const StreamEvent = z.discriminatedUnion('type', [
  /** A connection is being made. */
  z.object({ type: z.literal('attempt') }),
  /** It was answered with an event stream. */
  z.object({ type: z.literal('opened'), at: z.number() }),
  /** Bytes came, perhaps a heartbeat only; at most once a second. */
  z.object({ type: z.literal('heard'), at: z.number() }),
  z.object({ type: z.literal('message'), message: StreamMessage, at: z.number() }),
  /** Lost; the next attempt is made at `nextAttemptAt`. */
  z.object({ type: z.literal('waiting'), nextAttemptAt: z.number(), reason: z.string() }),
  /** The three ends: nothing more is tried until someone starts it again. */
  z.object({ type: z.literal('complete') }),
  z.object({ type: z.literal('refused'), reason: z.string() }),
  z.object({ type: z.literal('signed-out'), reason: z.string() }),
  /** Builds between what came before and what comes next are left out. */
  z.object({ type: z.literal('skipped'), at: z.number() }),
  /** A handler of messages threw. */
  z.object({ type: z.literal('fault') }),
])
export type StreamEvent = z.infer<typeof StreamEvent>

export interface EventStreamOptions {
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly random: () => number
  readonly isOnline: IsOnline
  /** The address for a stream that begins, or that resumes after the id it is given. */
  readonly url: (lastId: string | undefined) => string
  /** A token for the next attempt. Throws a ProblemError. */
  readonly token: () => Promise<string>
  readonly discard: (token: string, fault: ProblemError) => void
  /** The id to resume after, at each connection; left out: that of the last message that was delivered. */
  readonly lastId?: () => string | undefined
  readonly maxLineBytes?: number
  readonly silenceLimitMs?: number
}

/** A stream that keeps itself open. */
export interface EventStream {
  /** Makes a new attempt whatever the state, but no two within 1 s. */
  readonly reconnect: () => void
  /** Ends it for good: nothing is emitted after this call, and no connection is left. */
  readonly close: () => void
}

/**
 * Reads a server-sent event stream for as long as it takes: at most one connection at any time,
 * resumed after the last message that was delivered, with jittered back-off between attempts.
 * Emits all that happens, in order. When `emit` throws at a message, a fault is emitted and the
 * message counts as delivered, as it would only throw again.
 */
export function openEventStream(
  options: EventStreamOptions,
  emit: (event: StreamEvent) => void,
): EventStream {
  const { clock, random, isOnline } = options
  let delivered: string | undefined
  let lastAttemptAt = -Infinity
  let retryMs = shortestWaitMs
  let run = start(0)

  function start(delayMs: number): AbortController {
    const controller = new AbortController()
    void keepOpen(controller.signal, delayMs)
    return controller
  }

  async function keepOpen(signal: AbortSignal, delayMs: number): Promise<void> {
    const emitWhileOpen = (event: StreamEvent): void => {
      if (!signal.aborted) emit(event)
    }
    if (delayMs > 0) await wait(clock, delayMs, signal)
    if (signal.aborted) return
    try {
      await attempts((attempt) => connect(attempt, signal, emitWhileOpen), {
        clock,
        random,
        signal,
        mayRetry: (fault) => endOf(fault) === undefined,
        onWait: ({ problem: { sentence }, until }) => {
          emitWhileOpen({ type: 'waiting', nextAttemptAt: until, reason: sentence })
        },
      })
    } catch (error) {
      const end = endOf(asProblem(error))
      if (end !== undefined) emitWhileOpen(end)
    }
  }

  /**
   * Never resolves. A session that is refused is renewed once; a stream that its server ends goes on,
   * which is no event (docs/design.md#restart), unless it was over at once.
   */
  async function connect(
    attempt: Attempt,
    signal: AbortSignal,
    emitWhileOpen: (event: StreamEvent) => void,
  ): Promise<never> {
    let renewed = false
    let goesOn = false
    let wasBrief = false
    for (;;) {
      lastAttemptAt = clock.now()
      if (!goesOn) emitWhileOpen({ type: 'attempt' })
      const token = await options.token().catch((error: unknown) => {
        throw networkProblem(error, isOnline)
      })
      try {
        await readOnce(token, attempt, signal, emitWhileOpen)
        renewed = false
        const isBrief = clock.now() - lastAttemptAt < shortestWaitMs
        // It may have gone on at a process that was about to end as well.
        goesOn = (!isBrief || (goesOn && !wasBrief)) && (await isToGoOn(token, signal))
        wasBrief = isBrief
      } catch (error) {
        const fault = asProblem(error)
        if (fault.status === 401) options.discard(token, fault)
        if (fault.status !== 401 || isInFront(fault) || renewed || signal.aborted) throw error
        renewed = true
        continue
      }
      if (goesOn && !signal.aborted) continue
      const sentence = 'The Sightline server closed the connection.'
      throw problemError(503, 'ended', 'Ended', sentence)
    }
  }

  /** Whether a stream that its server ended goes on unnoticed: with a new token, or after a short wait. */
  async function isToGoOn(used: string, signal: AbortSignal): Promise<boolean> {
    // Why there is none is what the next attempt comes to.
    if ((await options.token().catch(() => used)) === used) {
      if (retryMs > unnoticedMs) return false
      await wait(clock, retryMs, signal)
    }
    return true
  }

  function readOnce(
    token: string,
    attempt: Attempt,
    signal: AbortSignal,
    emitWhileOpen: (event: StreamEvent) => void,
  ): Promise<void> {
    let heardAt = -Infinity
    const lastId = options.lastId === undefined ? delivered : options.lastId()
    const { maxLineBytes = defaultMaxLineBytes, silenceLimitMs = defaultSilenceLimitMs } = options
    return readEventSource(
      {
        fetch: options.fetch,
        clock,
        isOnline,
        url: options.url(lastId),
        token,
        lastId,
        maxLineBytes,
        silenceLimitMs,
        onRetry: (ms) => {
          retryMs = ms
          attempt.retryAfter(ms)
        },
        onOpen: () => {
          emitWhileOpen({ type: 'opened', at: clock.now() })
        },
        onBytes: () => {
          const now = clock.now()
          if (now - heardAt < heardEveryMs) return
          heardAt = now
          emitWhileOpen({ type: 'heard', at: now })
        },
        onMessage: (message) => {
          attempt.progressed()
          try {
            emitWhileOpen({ type: 'message', message, at: clock.now() })
          } catch {
            emitWhileOpen({ type: 'fault' })
          }
          if (isSendable(message.id)) delivered = message.id
        },
      },
      signal,
    )
  }

  return {
    reconnect: () => {
      run.abort()
      const sinceMs = clock.now() - lastAttemptAt
      // Less than no time has passed where the clock was behind, which is learned with the first session.
      run = start(sinceMs < 0 ? shortestWaitMs : Math.max(0, shortestWaitMs - sinceMs))
    },
    close: () => {
      run.abort()
    },
  }
}

/** An id with other characters would make each later request throw before it is sent. */
function isSendable(id: string): boolean {
  return /^[\x21-\x7e]{1,256}$/.test(id)
}

/** What a fault ends the stream with; undefined where another attempt may help. */
export function endOf(fault: ProblemError): StreamEvent | undefined {
  const { status, sentence } = fault
  if (status === 204) return { type: 'complete' }
  // It may let the stream pass at any time, and nobody else would try.
  if (isInFront(fault)) return undefined
  if (status === 401) return { type: 'signed-out', reason: sentence }
  return isRetryable(status) ? undefined : { type: 'refused', reason: sentence }
}
