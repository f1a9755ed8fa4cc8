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

/** The upstream's answer; the body is raw (not unzipped) and must be read or cancelled. */
export interface UpstreamResponse {
  readonly status: number
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
