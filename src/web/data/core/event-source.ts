import { z } from 'zod'
import { fetchEventSource } from '@microsoft/fetch-event-source'
import type { Clock } from '../../../protocol/clock.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { createDataAside } from '../live/data-aside.ts'
import { type IsOnline, networkProblem, problemOfResponse } from './response.ts'
import { watchSilence } from './silence-watch.ts'

/** A message of the live feed as it came over the wire; '' where it had no id or no event. */
export const StreamMessage = z.object({ id: z.string(), event: z.string(), data: z.string() })
export type StreamMessage = z.infer<typeof StreamMessage>

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

/** What the guarded fetch is made with. */
export interface StreamFetch {
  readonly fetch: typeof fetch
  readonly maxLineBytes: number
  /** Rewrites whole lines. */
  readonly rewrite: (lines: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>
  /** Epoch ms. */
  readonly now: () => number
  /** The answer is an event stream. */
  readonly onOpen: () => void
  /** Bytes came. */
  readonly onBytes: () => void
}

/**
 * A fetch that lets through nothing but an event stream, in whole lines of bounded length. Any
 * other answer is let go of and thrown as a ProblemError with its status; 204, the end of a
 * complete stream, is one of them. Redirects are not followed, as they would carry the token away.
 */
function streamFetch(options: StreamFetch): typeof fetch {
  return async (input, init) => {
    const response = await options.fetch(input, {
      ...init,
      redirect: 'error',
      cache: 'no-store',
      credentials: 'same-origin',
    })
    if (response.status !== 200) throw await problemOfResponse(response, options.now())
    const type = response.headers.get('content-type') ?? 'nothing that it names'
    if (response.body === null || !/^text\/event-stream *(;|$)/i.test(type)) {
      await response.body?.cancel()
      throw noStream(type)
    }
    options.onOpen()
    return new Response(response.body.pipeThrough(guardLines(options)), {
      headers: { 'content-type': type },
    })
  }
}

function noStream(type: string): ProblemError {
  const sentence = `The proxy, or something before it, answered with ${type} instead of the stream.`
  return new ProblemError(problem(502, 'no-stream', 'Not an event stream', sentence))
}

/** One connection. */
export interface Attempt {
  readonly url: string
  /** Lower-case names only: the library knows headers by their letters. */
  readonly headers: Readonly<Record<string, string>>
  /** Ends the attempt; not yet aborted. */
  readonly signal: AbortSignal
  readonly fetch: typeof fetch
  readonly onMessage: (message: StreamMessage) => void
  /** The reconnection time that the other side asks for, ms; any number, also a negative one. */
  readonly onRetry: (ms: number) => void
}

/**
 * Makes one connection and reads it to its end: the library is asked to do nothing else, because
 * its own retry loop leaks connections, loses messages and never stops (the tests name each case).
 * Resolves when the other side has ended the stream or the signal was aborted, rejects with what
 * `fetch` or the body threw; in each case the connection is closed. Messages without data, such as
 * heartbeats, are not delivered, and nothing is after the abort. `onMessage` must not throw.
 */
async function readEventSource(attempt: Attempt): Promise<void> {
  await fetchEventSource(attempt.url, {
    headers: { ...attempt.headers },
    signal: attempt.signal,
    fetch: attempt.fetch,
    // Otherwise the library ends and reopens the stream whenever the tab is hidden and shown.
    openWhenHidden: true,
    // All checks are made by `fetch`, which alone can let go of the body.
    onopen: () => Promise.resolve(),
    onmessage: ({ id, event, data, retry }) => {
      if (attempt.signal.aborted) return
      if (retry !== undefined) attempt.onRetry(retry)
      if (data !== '') attempt.onMessage({ id, event, data })
    },
    // Throwing is how the library is told to abort the request and to give up.
    onerror: (error: unknown) => {
      throw error
    },
  })
}

const lineFeed = 10
const carriageReturn = 13

/** What the guard keeps to. */
export interface LineGuard {
  readonly maxLineBytes: number
  /** Called for each piece that comes, also for comments. */
  readonly onBytes: () => void
  /** Has the last word on whole lines. */
  readonly rewrite: (lines: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>
}

/**
 * Passes bytes on in whole lines. The parser behind it copies all it holds each time an unfinished
 * line grows, which is quadratic (16 MB in one line: 5 s of processor); given whole lines it never
 * holds any. What follows the last line end is dropped at the end, as an unfinished message is.
 * Errors with a ProblemError when a line exceeds the limit.
 */
function guardLines({
  maxLineBytes,
  onBytes,
  rewrite,
}: LineGuard): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let held: Uint8Array<ArrayBuffer>[] = []
  let heldBytes = 0

  function take(piece: Uint8Array<ArrayBuffer>, pass: (lines: Uint8Array<ArrayBuffer>) => void) {
    const end = lastLineEnd(piece)
    if (heldBytes + (end === 0 ? piece.length : firstLineEnd(piece)) > maxLineBytes) {
      throw tooLong(maxLineBytes)
    }
    if (end > 0) {
      pass(join([...held, piece.subarray(0, end)], heldBytes + end))
      held = []
      heldBytes = 0
    }
    if (end < piece.length) {
      held.push(piece.subarray(end))
      heldBytes += piece.length - end
    }
  }

  return new TransformStream({
    transform(chunk, controller) {
      onBytes()
      // No line within a piece this short can be too long, so only its first line needs a look.
      for (let at = 0; at < chunk.length; at += maxLineBytes) {
        take(chunk.subarray(at, at + maxLineBytes), (lines) => {
          controller.enqueue(rewrite(lines))
        })
      }
    },
  })
}

/** Where the last line ends, its line end included; 0 where none does. */
function lastLineEnd(piece: Uint8Array): number {
  const afterFeed = piece.lastIndexOf(lineFeed) + 1
  return afterFeed + piece.subarray(afterFeed).lastIndexOf(carriageReturn) + 1
}

function firstLineEnd(piece: Uint8Array): number {
  const feed = piece.indexOf(lineFeed)
  const before = feed === -1 ? piece : piece.subarray(0, feed)
  const back = before.indexOf(carriageReturn)
  return back === -1 ? before.length : back
}

function join(pieces: readonly Uint8Array<ArrayBuffer>[], length: number): Uint8Array<ArrayBuffer> {
  const [only] = pieces
  if (pieces.length === 1 && only !== undefined) return only
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

function tooLong(maxLineBytes: number): ProblemError {
  return new ProblemError(
    problem(
      502,
      'line-too-long',
      'Line too long',
      `The proxy sent a line of more than ${maxLineBytes} bytes, which is not read.`,
    ),
  )
}
