import { z } from 'zod'
import { backOffMs, shortestWaitMs } from '../../../protocol/back-off.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { isRetryable, type ProblemError } from '../../../protocol/problem.ts'
import { type AttemptEnd, attemptStream, StreamMessage } from '../core/event-source.ts'
import { type IsOnline, networkProblem } from '../core/response.ts'

const defaultMaxLineBytes = 1024 * 1024
/** Two and a half times the proxy's heartbeat of 15 s. */
const defaultSilenceLimitMs = 37_500
const heardEveryMs = 1000

/** What an event stream is made with. */
export interface EventStreamOptions {
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly random: () => number
  readonly isOnline: IsOnline
  /** The address for a stream that begins, or that resumes after the id it is given. */
  readonly url: (lastId: string | undefined) => string
  /** A token for the next attempt. Throws a ProblemError. */
  readonly token: () => Promise<string>
  /** The token was refused. */
  readonly discard: (token: string) => void
  /** The id to resume after, from an earlier stream. */
  readonly lastId?: string | undefined
  readonly maxLineBytes?: number
  readonly silenceLimitMs?: number
}

/** A stream that keeps itself open. */
export interface EventStream {
  /** Makes a new attempt whatever the state, but no two within 1 s. */
  readonly reconnect: () => void
  /** Ends it for good: nothing is told after this call, and no connection is left. */
  readonly close: () => void
}

/**
 * Reads a server-sent event stream for as long as it takes: at most one connection at any time,
 * resumed after the last message that was delivered, with jittered back-off between attempts.
 * Tells all that happens through `tell`, in order. When `tell` throws at a message, a fault is told
 * and the message counts as delivered, as it would only throw again.
 */
export function openEventStream(
  options: EventStreamOptions,
  tell: (happening: StreamHappening) => void,
): EventStream {
  const { clock, random } = options
  let lastId = options.lastId
  let lastAttemptAt = -Infinity
  let run = start(0)

  function start(delayMs: number): AbortController {
    const controller = new AbortController()
    void keepOpen(controller.signal, delayMs)
    return controller
  }

  async function keepOpen(signal: AbortSignal, delayMs: number): Promise<void> {
    const goesOn = (): boolean => !signal.aborted
    const told = (happening: StreamHappening): void => {
      if (goesOn()) tell(happening)
    }
    if (delayMs > 0) await wait(clock, delayMs, signal)
    let failures = 0
    let renewed = false
    let retryMs: number | undefined
    while (goesOn()) {
      lastAttemptAt = clock.now()
      told({ type: 'attempt' })
      const end = await attempt(signal, told)
      failures = end.delivered ? 1 : failures + 1
      retryMs = end.retryMs ?? retryMs
      const verdict = judge(end.fault, renewed)
      renewed = verdict.kind === 'renew'
      if (verdict.kind === 'retry') {
        const { reason, retryAfterMs } = verdict
        const ms = backOffMs({ failures, retryMs, retryAfterMs, random })
        told({ type: 'waiting', nextAttemptAt: clock.now() + ms, reason })
        await wait(clock, ms, signal)
      } else if (verdict.kind === 'end') {
        told(verdict.happening)
        return
      }
    }
  }

  async function attempt(
    signal: AbortSignal,
    told: (happening: StreamHappening) => void,
  ): Promise<AttemptEnd> {
    let heardAt = -Infinity
    let token: string
    try {
      token = await options.token()
    } catch (error) {
      const fault = networkProblem(error, options.isOnline)
      return { fault, opened: false, delivered: false, retryMs: undefined }
    }
    const end = await attemptStream(
      {
        fetch: options.fetch,
        isOnline: options.isOnline,
        clock,
        token,
        lastId,
        url: options.url(lastId),
        maxLineBytes: options.maxLineBytes ?? defaultMaxLineBytes,
        silenceLimitMs: options.silenceLimitMs ?? defaultSilenceLimitMs,
        onOpen: () => {
          told({ type: 'opened', at: clock.now() })
        },
        onBytes: () => {
          const now = clock.now()
          if (now - heardAt < heardEveryMs) return
          heardAt = now
          told({ type: 'heard', at: now })
        },
        onMessage: (message) => {
          try {
            told({ type: 'message', message, at: clock.now() })
          } catch {
            told({ type: 'fault' })
          }
          if (isSendable(message.id)) lastId = message.id
        },
      },
      signal,
    )
    if (end.fault?.status === 401) options.discard(token)
    return end
  }

  return {
    reconnect: () => {
      run.abort()
      run = start(Math.max(0, lastAttemptAt + shortestWaitMs - clock.now()))
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

/** What is to be done after an attempt has ended. */
export type StreamVerdict =
  | { readonly kind: 'retry'; readonly reason: string; readonly retryAfterMs: number | undefined }
  /** The session was refused: get a new one and try again at once. */
  | { readonly kind: 'renew' }
  /** The three ends, as they are told. */
  | { readonly kind: 'end'; readonly happening: StreamHappening }

/**
 * Judges how an attempt ended: `fault` is undefined where the other side simply ended the stream,
 * which the live feed does to each connection after a while. `renewed` tells that the session was
 * renewed just before the attempt. Statuses that trying again cannot change are final.
 */
export function judge(fault: ProblemError | undefined, renewed: boolean): StreamVerdict {
  if (fault === undefined) {
    return { kind: 'retry', reason: 'The proxy ended the connection.', retryAfterMs: undefined }
  }
  const reason = fault.message
  if (fault.status === 204) return { kind: 'end', happening: { type: 'complete' } }
  if (fault.status === 401) {
    const none = fault.problem.type === 'urn:sightline:problem:signed-out'
    return renewed || none
      ? { kind: 'end', happening: { type: 'signed-out', reason } }
      : { kind: 'renew' }
  }
  return isRetryable(fault.status)
    ? { kind: 'retry', reason, retryAfterMs: fault.retryAfterMs }
    : { kind: 'end', happening: { type: 'refused', reason } }
}

/**
 * What can happen to a stream, in the order in which it does. Plain data, because tabs that share
 * one stream pass it on to each other. Times are epoch ms by this browser's clock; a `reason` is
 * one sentence for people.
 */
export const StreamHappening = z.discriminatedUnion('type', [
  /** A connection is being made. */
  z.object({ type: z.literal('attempt') }),
  /** It was answered with an event stream. */
  z.object({ type: z.literal('opened'), at: z.number() }),
  /** Bytes came, perhaps a heartbeat only; told at most once a second. */
  z.object({ type: z.literal('heard'), at: z.number() }),
  z.object({ type: z.literal('message'), message: StreamMessage, at: z.number() }),
  /** Lost; the next attempt is made at `nextAttemptAt`. */
  z.object({ type: z.literal('waiting'), nextAttemptAt: z.number(), reason: z.string() }),
  /** The three ends: nothing more is tried until somebody asks for it. */
  z.object({ type: z.literal('complete') }),
  z.object({ type: z.literal('refused'), reason: z.string() }),
  z.object({ type: z.literal('signed-out'), reason: z.string() }),
  /** Builds between what came before and what comes next are left out. */
  z.object({ type: z.literal('skipped'), at: z.number() }),
  /** A handler of messages threw. */
  z.object({ type: z.literal('fault') }),
])
export type StreamHappening = z.infer<typeof StreamHappening>
