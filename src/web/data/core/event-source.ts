import { fetchEventSource } from '@microsoft/fetch-event-source'
import * as z from 'zod/mini'
import type { Clock } from '../../../protocol/clock.ts'
import { problem, ProblemError, problemError } from '../../../protocol/problem.ts'
import {
  type IsOnline,
  networkProblem,
  ownRequest,
  problemOfResponse,
  signInFault,
} from './response.ts'
import { watchSilence } from './silence-watch.ts'

/** A message of an event stream as it came over the wire; '' where it had no id or no event. */
export const StreamMessage = z.object({ id: z.string(), event: z.string(), data: z.string() })
export type StreamMessage = z.infer<typeof StreamMessage>

export interface EventSourceOptions {
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly isOnline: IsOnline
  readonly url: string
  readonly token: string
  readonly lastId: string | undefined
  /** One line of the stream may have so many bytes, and a message four times as many. */
  readonly maxLineBytes: number
  /** The connection is given up when nothing comes for so long, ms. */
  readonly silenceLimitMs: number
  readonly onOpen: () => void
  /** Called for each piece that comes, also for heartbeats. */
  readonly onBytes: () => void
  /** Called for each message with data. Must not throw. */
  readonly onMessage: (message: StreamMessage) => void
  /** The wait before the next connection that the other side asks for, ms; any number. */
  readonly onRetry: (ms: number) => void
}

/**
 * Makes one connection and reads it to its end. Resolves when the other side ended the stream or
 * `signal` aborted; throws a ProblemError where it was refused (204, the end of a complete stream, is
 * one of these), broke or went silent. Afterwards the connection is closed, no timer or listener is
 * left, and nothing is delivered after the abort.
 *
 * The library makes this one connection and reads its framing; its own retry loop leaks connections,
 * loses messages and never stops (the tests name each case).
 */
export async function readEventSource(
  options: EventSourceOptions,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  const { clock, isOnline } = options
  // A signal of its own: on one that lives longer the library would leave a listener each time.
  const own = new AbortController()
  const abort = (): void => {
    own.abort()
  }
  signal.addEventListener('abort', abort)
  let opened: Response | undefined
  let lastByteAt = clock.now()
  const stopWatch = watchSilence({
    clock,
    limitMs: options.silenceLimitMs,
    lastHeardAt: () => lastByteAt,
    onSilent: () => {
      own.abort(silenceProblem(options.silenceLimitMs))
    },
  })
  const onBytes = (): void => {
    lastByteAt = clock.now()
    options.onBytes()
  }

  /** Lets through nothing but an event stream, and follows no redirect, which could take the token along. */
  async function open(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const response = await options.fetch(input, {
      ...init,
      ...ownRequest,
    })
    const fault = await signInFault(response, options.url, clock.now())
    if (fault !== undefined) throw fault
    if (response.status !== 200) throw await problemOfResponse(response, clock.now())
    const body = await eventStreamBody(response)
    opened = response
    options.onOpen()
    return new Response(body.pipeThrough(guardLines(options.maxLineBytes, onBytes)), {
      headers: { 'content-type': 'text/event-stream' },
    })
  }

  try {
    await fetchEventSource(options.url, {
      headers: headersOf(options),
      signal: own.signal,
      fetch: open,
      // Otherwise the library ends and reopens the stream whenever the tab is hidden and shown.
      openWhenHidden: true,
      // All checks are made by `open`, which alone can let go of the body.
      onopen: () => Promise.resolve(),
      onmessage: ({ id, event, data, retry }) => {
        if (own.signal.aborted) return
        if (retry !== undefined) options.onRetry(retry)
        if (data !== '') options.onMessage({ id, event, data })
      },
      // Throwing is how the library is made to abort the request and to give up.
      onerror: (error: unknown) => {
        throw error
      },
    })
    // For the library a connection that is aborted has ended well.
    if (own.signal.reason instanceof ProblemError) throw own.signal.reason
  } catch (error) {
    throw opened ? broken(error) : networkProblem(error, isOnline)
  } finally {
    stopWatch()
    signal.removeEventListener('abort', abort)
    abort()
  }
}

/** The body of a response that is an event stream; any other is let go of, and a ProblemError thrown. */
export async function eventStreamBody(response: Response): Promise<ReadableStream<Bytes>> {
  const type = response.headers.get('content-type') ?? 'no content type'
  if (response.body !== null && /^text\/event-stream *(;|$)/i.test(type)) return response.body
  await response.body?.cancel()
  const sentence = `The Sightline server, or a proxy in front of it, sent ${type} instead of an event stream.`
  throw problemError(502, 'no-stream', 'Not an event stream', sentence)
}

/** A connection that has been silent for longer than `limitMs`. */
export function silenceProblem(limitMs: number): ProblemError {
  const sentence = `No data from the Sightline server for ${Math.round(limitMs / 1000)} s. A proxy in front of it may hold streams back.`
  return problemError(504, 'silent', 'Silent', sentence)
}

/** Lower-case names only: the library would send its own `accept` beside an `Accept`. */
function headersOf({ token, lastId }: EventSourceOptions): Record<string, string> {
  return {
    accept: 'text/event-stream',
    authorization: `Bearer ${token}`,
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  }
}

const lineFeed = 10
const carriageReturn = 13
/** A message may be so many times as long as the longest line. */
const linesPerMessage = 4

type Bytes = Uint8Array<ArrayBuffer>

/**
 * Passes bytes on in whole lines. The parser behind it copies all it holds each time an unfinished
 * line grows, which is quadratic (16 MB in one line: 5 s of processor); given whole lines it never
 * holds any. What follows the last line end is dropped at the end, as an unfinished message is.
 * Errors with a ProblemError when a line or a message is too long.
 */
function guardLines(maxLineBytes: number, onBytes: () => void): TransformStream<Bytes, Bytes> {
  let held: Bytes[] = []
  let heldBytes = 0
  let messageBytes = 0

  function take(piece: Bytes, pass: (lines: Bytes) => void): void {
    const end = lastLineEnd(piece)
    if (heldBytes + (end === 0 ? piece.length : firstLineEnd(piece)) > maxLineBytes) {
      throw tooLong('line', maxLineBytes)
    }
    if (end > 0) {
      const lines = join([...held, piece.subarray(0, end)], heldBytes + end)
      held = []
      heldBytes = 0
      messageBytes = hasMessageEnd(lines) ? 0 : messageBytes + lines.length
      if (messageBytes > linesPerMessage * maxLineBytes) {
        throw tooLong('message', linesPerMessage * maxLineBytes)
      }
      pass(lines)
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
          controller.enqueue(lines)
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

/** Whether a line of these is empty, looked for from the end, where it nearly always is. */
function hasMessageEnd(lines: Uint8Array): boolean {
  for (let at = lines.length - 1; at >= 0; at--) {
    if (!isLineEnd(lines[at])) at = Math.max(0, lastLineEnd(lines.subarray(0, at)) - 1)
    if (!isLineEnd(lines[at])) return false
    const isPair = lines[at] === lineFeed && lines[at - 1] === carriageReturn
    const before = isPair ? at - 2 : at - 1
    if (before < 0 || isLineEnd(lines[before])) return true
  }
  return false
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === lineFeed || byte === carriageReturn
}

function join(pieces: readonly Bytes[], length: number): Bytes {
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

function broken(cause: unknown): ProblemError {
  if (cause instanceof ProblemError) return cause
  const sentence = 'The connection to the Sightline server was lost.'
  return new ProblemError(problem(503, 'broken', 'Broken', sentence), { cause })
}

function tooLong(what: 'line' | 'message', most: number): ProblemError {
  const sentence = `The Sightline server sent a ${what} larger than ${most} bytes, which was ignored.`
  return problemError(502, `${what}-too-long`, `${what} too long`, sentence)
}
