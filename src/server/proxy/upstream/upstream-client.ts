import type { Clock } from '../../../protocol/clock.ts'

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
  /** Connections at once; further requests wait. 64 unless told. */
  readonly connections?: number
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
