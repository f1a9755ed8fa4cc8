import type { Clock } from '../../../protocol/clock.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'

/** A request to an upstream: a path below its base address, and only what may be sent to it. */
export interface UpstreamRequest {
  /** The path and query, beginning with a slash; made by protocol/, never copied from a browser. */
  readonly path: string
  readonly method?: 'GET' | 'POST'
  /** Lower-case names. The client adds authorization and user-agent itself. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** Ends the request and its body at once. */
  readonly signal?: AbortSignal
  /** How long the upstream may take to begin its answer, ms; 10 s unless told. */
  readonly headersTimeoutMs?: number
}

/** The upstream's answer; its body is unzipped where it was gzip, and must be read or cancelled. */
export interface UpstreamResponse {
  /** What was requested: relative links of its headers are resolved against it (RFC 8288, 3.2). */
  readonly url: string
  readonly status: number
  /** It travelled as gzip; its headers are those of what it is unzipped. */
  readonly wasGzip: boolean
  /** Nothing but the end of the connection ends it (protocol/ndjson.ts). */
  readonly isOpenEnded: boolean
  /** The value of a header by its lower-case name. */
  readonly header: (name: string) => string | null
  readonly body: AsyncIterable<Uint8Array>
  /** Gives up the body and its connection. */
  readonly cancel: () => void
}

/**
 * Sends requests to one upstream with its credential. Redirects are not followed. Any status is an
 * answer; a request without one (refused connection, name not found, timeout) throws a ProblemError
 * whose sentence names neither the credential nor the address, and an aborted one throws the
 * signal's reason.
 */
export interface UpstreamClient {
  readonly request: (request: UpstreamRequest) => Promise<UpstreamResponse>
  /** Closes all connections. */
  readonly close: () => Promise<void>
}

/** Which upstream a client speaks to. */
export interface UpstreamClientOptions {
  /** Its address; a path in it is kept before every request's path. */
  readonly baseUrl: URL
  /** What people call it, for sentences, such as `build data server`. */
  readonly name: string
  /** The setting that holds the address, for advice. */
  readonly urlSetting: string
  /** Sent as `user-agent`. */
  readonly userAgent: string
  readonly clock: Clock
}

/** How many requests are forwarded to one server at the same time, and how many of one person. */
const mostForwarded = 320
/** What a board may have in flight (64), and 16 more. */
const mostForwardedOf = 80
/**
 * Connections to one server: those that nobody's forwarded requests can fill are for the live feed,
 * the credentials, the searches of walls and the status.
 */
export const mostConnections = 512
/** How long a request waits for a place, ms. */
const placeMs = 10_000

/** The places of forwarded requests at one server (docs/design.md#places). */
export interface Places {
  /**
   * Waits for a place of a holder; the client then sends one request, which has the place until its
   * body is read, given up or aborted. Throws a ProblemError after 10 s: 429 where the holder has too
   * many requests open, 503 where all have; and the reason of `signal` where that aborts before.
   */
  readonly take: (holder: string, signal: AbortSignal) => Promise<Pick<UpstreamClient, 'request'>>
}

/** Makes the places of a server, which people call `name`. */
export function createPlaces(
  client: Pick<UpstreamClient, 'request'>,
  name: string,
  clock: Clock,
): Places {
  const held = new Map<string, number>()
  const waiting = new Set<{ readonly holder: string; readonly go: () => void }>()
  let all = 0

  const isFree = (holder: string): boolean =>
    all < mostForwarded && (held.get(holder) ?? 0) < mostForwardedOf

  const count = (holder: string, one: 1 | -1): void => {
    all += one
    const own = (held.get(holder) ?? 0) + one
    if (own === 0) held.delete(holder)
    else held.set(holder, own)
  }

  const leave = (holder: string): void => {
    count(holder, -1)
    for (const next of waiting) {
      if (!isFree(next.holder)) continue
      next.go()
      return
    }
  }

  const place = (holder: string, signal: AbortSignal): Promise<'taken' | 'left' | 'late'> =>
    new Promise((resolve) => {
      const settle = (end: 'taken' | 'left' | 'late'): void => {
        waiting.delete(one)
        stopWatch()
        signal.removeEventListener('abort', giveUp)
        resolve(end)
      }
      const giveUp = (): void => {
        settle('left')
      }
      const go = (): void => {
        count(holder, 1)
        settle('taken')
      }
      const one = { holder, go }
      const stopWatch = clock.after(placeMs, () => {
        settle('late')
      })
      signal.addEventListener('abort', giveUp)
      if (signal.aborted) giveUp()
      else if (isFree(holder)) go()
      else waiting.add(one)
    })

  return {
    take: async (holder, signal) => {
      const end = await place(holder, signal)
      if (end === 'left') signal.throwIfAborted()
      if (end === 'late') throw busy(name, (held.get(holder) ?? 0) >= mostForwardedOf)
      let isHeld = true
      const release = (): void => {
        if (!isHeld) return
        isHeld = false
        signal.removeEventListener('abort', release)
        leave(holder)
      }
      signal.addEventListener('abort', release)
      return {
        request: async (request) => {
          try {
            const answer = await client.request(request)
            return {
              ...answer,
              body: untilRead(answer.body, release),
              cancel: () => {
                release()
                answer.cancel()
              },
            }
          } catch (error) {
            release()
            throw error
          }
        },
      }
    },
  }
}

async function* untilRead(
  body: UpstreamResponse['body'],
  release: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body
  } finally {
    release()
  }
}

function busy(name: string, isOwn: boolean): ProblemError {
  return new ProblemError(
    isOwn
      ? problem(
          429,
          'too-many-requests',
          'Too many requests at once',
          `You have ${mostForwardedOf} requests to the ${name} open. Close pages or stop scripts that use your account, or try again in a few seconds.`,
        )
      : problem(
          503,
          'busy',
          'Sightline is busy',
          `Sightline forwards ${mostForwarded} requests to the ${name} at once, and all are in use. Try again in a few seconds.`,
        ),
    { retryAfterMs: 5000 },
  )
}

/**
 * The whole body of an answer, for the few that must be read to be understood. Past `maxBytes` the
 * body is given up and a RangeError thrown; a fault on the way throws what the body throws.
 */
export async function readBounded(answer: UpstreamResponse, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let held = 0
  for await (const chunk of answer.body) {
    held += chunk.length
    if (held > maxBytes) {
      answer.cancel()
      throw new RangeError(`the body exceeds ${maxBytes} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The media type of an answer in lower case, without parameters; empty where it names none. */
export function mediaType(answer: UpstreamResponse): string {
  return (answer.header('content-type') ?? '').replace(/;.*$/s, '').trim().toLowerCase()
}
