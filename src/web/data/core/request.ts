import type * as z from 'zod/mini'
import type { Clock } from '../../../protocol/clock.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import {
  decodeAnswer,
  type IsOnline,
  networkProblem,
  problemOfResponse,
  withTimeLimit,
} from './response.ts'
import type { SessionKeeper } from './session.ts'

const timeLimitMs = 30_000

/** What requests are made with. */
export interface RequestOptions {
  readonly fetch: typeof fetch
  readonly session: SessionKeeper
  readonly clock: Clock
  readonly isOnline: IsOnline
}

/** How one request differs from a plain GET. */
export interface RequestInit {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/**
 * Asks the proxy for JSON of one shape. Throws a ProblemError whose message is one plain sentence;
 * when `signal` aborts, the reason of the abort.
 */
export type Request = <S extends z.core.$ZodType>(
  path: string,
  schema: S,
  init?: RequestInit,
) => Promise<z.output<S>>

/**
 * Makes requests that carry the session as a bearer token, renew it once when it is refused, and
 * take at most 30 s.
 */
export function createRequest({ fetch, session, clock, isOnline }: RequestOptions): Request {
  async function send(path: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    for (let renewed = false; ; renewed = true) {
      const { token } = await session.current()
      const response = await fetch(path, {
        method: init.method ?? 'GET',
        headers: headersOf(token, init.body),
        ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
        signal,
        redirect: 'error',
        cache: 'no-store',
        credentials: 'same-origin',
      })
      if (response.ok) return response
      const fault = await problemOfResponse(response, clock.now())
      if (response.status !== 401) throw fault
      session.discard(token)
      if (renewed) throw fault
    }
  }

  return async (path, schema, init = {}) => {
    try {
      return await withTimeLimit(clock, timeLimitMs, init.signal, async (signal) =>
        decodeAnswer(await send(path, init, signal), schema, path),
      )
    } catch (error) {
      // An abort is no fault of the world: whoever aborted knows why.
      if (init.signal?.aborted && !(error instanceof ProblemError)) throw error
      throw networkProblem(error, isOnline)
    }
  }
}

function headersOf(token: string, body: unknown): Record<string, string> {
  return {
    accept: 'application/json, application/problem+json',
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
}

/** What requests are made with whose answers are read as they arrive. */
export interface StreamedRequestOptions {
  readonly fetch: typeof fetch
  readonly session: SessionKeeper
  readonly clock: Clock
  readonly isOnline: IsOnline
}

/** Posts a value as JSON; resolves when the answer begins. */
export type StreamedRequest = (
  path: string,
  body: unknown,
  signal: AbortSignal,
) => Promise<Response>

/** A refusal may tell of each attestation that was stored, with its envelope. */
const longestRefusal = 16 * 1024 * 1024

/**
 * Requests through the proxy that ask for results as they are ready. A session that is refused is
 * renewed once, as nothing was passed on then. Throws a ProblemError with the status that was
 * answered, and all that it said.
 */
export function createStreamedRequest({
  fetch,
  session,
  clock,
  isOnline,
}: StreamedRequestOptions): StreamedRequest {
  async function send(path: string, body: unknown, signal: AbortSignal): Promise<Response> {
    for (let renewed = false; ; renewed = true) {
      const { token } = await session.current()
      const response = await fetch(path, {
        method: 'POST',
        headers: {
          // JSON as well: a service that does not stream would otherwise have nothing to answer.
          accept: 'application/x-ndjson, application/json;q=0.5, application/problem+json;q=0.4',
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
        },
        body: JSON.stringify(body),
        signal,
        redirect: 'error',
        cache: 'no-store',
        credentials: 'same-origin',
      })
      if (response.ok) return response
      const fault = await problemOfResponse(response, clock.now(), longestRefusal)
      if (response.status !== 401) throw fault
      session.discard(token)
      if (renewed) throw fault
    }
  }

  return async (path, body, signal) => {
    try {
      return await send(path, body, signal)
    } catch (error) {
      throw networkProblem(error, isOnline)
    }
  }
}
