import type { Clock } from '../../../protocol/clock.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { createDataAside } from './data-aside.ts'
import { readEventSource } from './fetch-event-source.ts'
import { type IsOnline, networkProblem } from '../core/network-problem.ts'
import { watchSilence } from '../core/silence-watch.ts'
import { streamFetch } from './stream-fetch.ts'
import type { StreamMessage } from './stream-happening.ts'

/** What one attempt is made with. */
export interface AttemptOptions {
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly isOnline: IsOnline
  readonly url: string
  readonly token: string
  /** The id to resume after. */
  readonly lastId: string | undefined
  /** One line of the stream may have so many bytes. */
  readonly maxLineBytes: number
  /** The attempt is given up when nothing comes for so long, ms. */
  readonly silenceLimitMs: number
  readonly onOpen: () => void
  readonly onBytes: () => void
  readonly onMessage: (message: StreamMessage) => void
}

/** How it ended. */
export interface AttemptEnd {
  /** Undefined where the other side ended a stream it had begun, and after an abort. */
  readonly fault: ProblemError | undefined
  readonly opened: boolean
  /** At least one message was delivered. */
  readonly delivered: boolean
  /** The last `retry:` that came, ms. */
  readonly retryMs: number | undefined
}

/**
 * Makes one connection and reads it until it ends, breaks, goes silent or `signal` aborts. Never
 * rejects; afterwards the connection is closed, and no timer or listener is left.
 */
export async function attemptStream(
  options: AttemptOptions,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const { clock } = options
  // A signal of its own: on one that lives longer the library would leave a listener per attempt.
  const own = new AbortController()
  const abort = (): void => {
    own.abort()
  }
  const end: Writable<AttemptEnd> = { ...nothing }
  if (signal.aborted) return end
  signal.addEventListener('abort', abort)
  let lastByteAt = clock.now()
  const aside = createDataAside(linesPerMessage * options.maxLineBytes)
  const stopWatch = watchSilence({
    clock,
    limitMs: options.silenceLimitMs,
    lastHeardAt: () => lastByteAt,
    onSilent: () => {
      end.fault = silence(options.silenceLimitMs)
      abort()
    },
  })
  try {
    await readEventSource({
      url: options.url,
      headers: headersOf(options),
      signal: own.signal,
      fetch: streamFetch({
        fetch: options.fetch,
        maxLineBytes: options.maxLineBytes,
        rewrite: aside.set,
        now: () => clock.now(),
        onOpen: () => {
          end.opened = true
          options.onOpen()
        },
        onBytes: () => {
          lastByteAt = clock.now()
          options.onBytes()
        },
      }),
      onRetry: (ms) => {
        end.retryMs = ms
      },
      onMessage: (message) => {
        const data = aside.take(message.data)
        if (data === '') return
        end.delivered = true
        options.onMessage({ ...message, data })
      },
    })
  } catch (error) {
    end.fault = end.opened ? broken(error) : networkProblem(error, options.isOnline)
  } finally {
    stopWatch()
    signal.removeEventListener('abort', abort)
    abort()
  }
  return end
}

/** A message may have so many of the longest lines. */
const linesPerMessage = 4

type Writable<T> = { -readonly [K in keyof T]: T[K] }

const nothing: AttemptEnd = {
  fault: undefined,
  opened: false,
  delivered: false,
  retryMs: undefined,
}

/** Lower-case names only: the library would send its own `accept` beside an `Accept`. */
function headersOf({ token, lastId }: AttemptOptions): Record<string, string> {
  return {
    accept: 'text/event-stream',
    authorization: `Bearer ${token}`,
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  }
}

function silence(limitMs: number): ProblemError {
  const sentence = `Nothing was heard from the proxy for ${Math.round(limitMs / 1000)} s.`
  return new ProblemError(problem(504, 'silent', 'Silent', sentence))
}

function broken(cause: unknown): ProblemError {
  if (cause instanceof ProblemError) return cause
  const sentence = 'The connection to the proxy broke.'
  return new ProblemError(problem(503, 'broken', 'Broken', sentence), { cause })
}
