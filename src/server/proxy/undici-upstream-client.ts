import { Agent, type Dispatcher } from 'undici'
import type { Clock } from '../../protocol/clock.ts'
import { canonicalTarget } from './canonical-target.ts'
import type { UpstreamClient, UpstreamRequest, UpstreamResponse } from './upstream-client.ts'
import { upstreamFault, upstreamTimeout } from './upstream-fault.ts'

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

const defaultHeadersTimeoutMs = 10_000

/**
 * A client for one server over HTTP/1.1, without a credential (`withCredentials` adds it). Host and
 * base path are fixed here: a request names a canonical path from the root and cannot leave them; a
 * path that is none throws a TypeError. Redirects are not followed, bodies are not unzipped, and
 * connections are kept for the next request. Throws a TypeError for an address that is not http(s)
 * or holds a user, a password, a query or a fragment.
 */
export function createUpstreamClient(options: UpstreamClientOptions): UpstreamClient {
  const { baseUrl, name, urlSetting, clock } = options
  const basePath = checkedBasePath(baseUrl)
  const agent = new Agent({
    connections: options.connections ?? 64,
    pipelining: 1,
    // Waiting is watched below and by whoever reads the body, by a clock that a test can move.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: defaultHeadersTimeoutMs },
  })
  return {
    request: async (request) => {
      const { signal } = request
      signal?.throwIfAborted()
      const gone = new AbortController()
      const giveUp = (): void => {
        gone.abort(signal?.reason)
      }
      const forget = (): void => {
        signal?.removeEventListener('abort', giveUp)
      }
      signal?.addEventListener('abort', giveUp)
      const ms = request.headersTimeoutMs ?? defaultHeadersTimeoutMs
      const stopWatch = clock.after(ms, () => {
        gone.abort(upstreamTimeout(name, ms))
      })
      const fault = (error: unknown): unknown =>
        signal?.aborted === true || error instanceof TypeError
          ? (signal?.reason ?? error)
          : upstreamFault(error, name, urlSetting)
      try {
        const answer = await agent.request({
          origin: baseUrl.origin,
          path: `${basePath}${checkedPath(request.path)}`,
          method: request.method ?? 'GET',
          headers: { 'user-agent': options.userAgent, ...request.headers },
          body: request.body ?? null,
          signal: gone.signal,
        })
        answer.body.once('close', forget)
        return responseOf(answer, fault)
      } catch (error) {
        forget()
        throw fault(error)
      } finally {
        stopWatch()
      }
    },
    close: () => agent.destroy(),
  }
}

function responseOf(
  answer: Dispatcher.ResponseData,
  fault: (error: unknown) => unknown,
): UpstreamResponse {
  // A body that is given up fails with an error that nobody waits for.
  answer.body.on('error', () => undefined)
  return {
    status: answer.statusCode,
    header: (name) => {
      const value = answer.headers[name]
      return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value
    },
    body: withFaults(answer.body, fault),
    cancel: () => {
      answer.body.destroy()
    },
  }
}

async function* withFaults(
  body: AsyncIterable<Uint8Array>,
  fault: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body
  } catch (error) {
    throw fault(error)
  }
}

function checkedBasePath(url: URL): string {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError('the address of an upstream must begin with http:// or https://')
  }
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') {
    throw new TypeError(
      'the address of an upstream holds neither user, password, query nor fragment',
    )
  }
  return url.pathname.replace(/\/+$/, '')
}

function checkedPath(path: UpstreamRequest['path']): string {
  const check = canonicalTarget(path)
  if (!check.ok) throw new TypeError(`not a path for an upstream: ${check.mistake}`)
  return path
}
