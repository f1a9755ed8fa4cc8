import type { Clock } from '../../../protocol/clock.ts'
import { type IsOnline, networkProblem } from './network-problem.ts'
import { problemOfResponse } from './problem-of-response.ts'
import type { SessionKeeper } from './session.ts'

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
