import type * as z from 'zod/mini'
import type { Clock } from '../../../protocol/clock.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import {
  decodeAnswer,
  type IsOnline,
  networkProblem,
  ownRequest,
  problemOfResponse,
  signInFault,
  withTimeLimit,
} from './response.ts'
import type { SessionUse } from './session.ts'

const timeLimitMs = 30_000

interface RequestOptions {
  readonly fetch: typeof fetch
  readonly session: SessionUse
  readonly clock: Clock
  readonly isOnline: IsOnline
}

/** How one request differs from a plain GET. */
export interface RequestInit {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly body?: unknown
  readonly signal?: AbortSignal
  /** Reads the answer's body, which is JSON unless this is given. */
  readonly read?: (response: Response) => Promise<unknown>
}

/** Asks the proxy. Throws a ProblemError whose message is a sentence, or the reason of `signal`. */
export type Request = <S extends z.core.$ZodType>(
  path: string,
  schema: S,
  init?: RequestInit,
) => Promise<z.output<S>>

/**
 * Sends a request with the session's token, and once more with a new one where it was refused, as
 * nothing was passed on then. Resolves with whatever was answered otherwise; throws a ProblemError of
 * status 401 where nobody is signed in.
 */
export async function sendSigned(
  { fetch, session, clock }: Omit<RequestOptions, 'isOnline'>,
  path: string,
  init: { readonly method?: string; readonly headers: Record<string, string> } & Pick<
    globalThis.RequestInit,
    'body' | 'signal'
  >,
): Promise<Response> {
  for (let renewed = false; ; renewed = true) {
    const { token } = await session.current()
    const headers = { ...init.headers, authorization: `Bearer ${token}` }
    const response = await fetch(path, { ...ownRequest, ...init, headers })
    const fault = await signInFault(response, path, clock.now())
    if (fault === undefined) return response
    session.discard(token, fault)
    if (renewed) throw fault
  }
}

/** Makes requests that carry the session, renew it once when it is refused, and take at most 30 s. */
export function createRequest(options: RequestOptions): Request {
  const { clock, isOnline } = options

  async function send(path: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const accept = 'application/json, application/problem+json'
    const hasBody = init.body !== undefined
    const response = await sendSigned(options, path, {
      method: init.method ?? 'GET',
      headers: { accept, ...(hasBody ? { 'content-type': 'application/json' } : {}) },
      ...(hasBody ? { body: JSON.stringify(init.body) } : {}),
      signal,
    })
    if (!response.ok) throw await problemOfResponse(response, clock.now())
    return response
  }

  return async (path, schema, init = {}) => {
    try {
      return await withTimeLimit(clock, timeLimitMs, init.signal, async (signal) => {
        const response = await send(path, init, signal)
        return await decodeAnswer(response, schema, path, init.read).catch((error: unknown) => {
          throw signal.aborted || !isOnline() ? error : brokenOff(error, path)
        })
      })
    } catch (error) {
      // An abort is no fault of the world: whoever aborted knows why.
      if (init.signal?.aborted && !(error instanceof ProblemError)) throw error
      throw networkProblem(error, isOnline)
    }
  }
}

/** A response that began and was not whole: who sent it is there, so it is not the one out of reach. */
function brokenOff(cause: unknown, path: string): ProblemError {
  if (cause instanceof ProblemError) return cause
  const server = path.startsWith('/upstream/build-data/')
    ? 'build server'
    : path.startsWith('/upstream/governor/')
      ? 'policy service'
      : 'Sightline server'
  const sentence = `The response of the ${server} broke off.`
  return new ProblemError(problem(502, 'broken-off', 'Incomplete response', sentence), { cause })
}

/** Posts a value as JSON, or gets where it is undefined; resolves when the answer begins. */
export type StreamedRequest = (
  path: string,
  body: unknown,
  signal: AbortSignal,
) => Promise<Response>

/** A policy service may need five minutes for its first byte, as by the command line. */
const prefer = 'wait=300'
/** A refusal may tell of each attestation that was stored, with its envelope. */
const longestRefusal = 16 * 1024 * 1024

/**
 * Requests through the proxy that ask for results as they are ready. A session that is refused is
 * renewed once, as nothing was passed on then. Throws a ProblemError with the status that was
 * answered, and all that it said.
 */
export function createStreamedRequest(options: RequestOptions): StreamedRequest {
  async function send(path: string, body: unknown, signal: AbortSignal): Promise<Response> {
    const hasBody = body !== undefined
    const response = await sendSigned(options, path, {
      method: hasBody ? 'POST' : 'GET',
      headers: {
        // JSON as well: a service that does not stream would otherwise have nothing to answer.
        accept: 'application/x-ndjson, application/json;q=0.5, application/problem+json;q=0.4',
        ...(hasBody ? { 'content-type': 'application/json', prefer } : {}),
      },
      ...(hasBody ? { body: JSON.stringify(body) } : {}),
      signal,
    })
    if (response.ok) return response
    throw await problemOfResponse(response, options.clock.now(), longestRefusal)
  }

  return async (path, body, signal) => {
    try {
      return await send(path, body, signal)
    } catch (error) {
      throw networkProblem(error, options.isOnline)
    }
  }
}

export interface FetchedFile {
  readonly content: Blob
  readonly name: string
  readonly header: (name: string) => string | null
}

/**
 * Fetches a file whole: posts `body`, or gets where it is undefined. Throws a ProblemError where the
 * server refuses or its response breaks off: a part is never taken for all.
 */
export type FetchFile = (
  path: string,
  body: unknown,
  /** Called with each piece as it arrives, and the file's headers. */
  onPiece: (piece: Uint8Array, header: FetchedFile['header']) => void,
  signal: AbortSignal,
) => Promise<FetchedFile>
