import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { z } from 'zod'
import { preferredWaitMs } from '../protocol/back-off.ts'
import type { Clock } from '../protocol/clock.ts'
import type { Facts } from '../protocol/facts.ts'
import { FactsLine, factsPath } from '../protocol/insight.ts'
import { parsedJson } from '../protocol/parsed-text.ts'
import { ProblemError, problemError } from '../protocol/problem.ts'
import { Session, sessionPath } from '../protocol/session.ts'
import type { Connection, ServerConnection } from './connection.ts'
import { connectionProblem, responseProblem } from './read-response.ts'

/** How one request to a Sightline server differs from a plain GET. */
export interface Question {
  readonly method?: 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Requests to a Sightline server. */
export interface ServerRequest {
  /** In plain words, for sentences. */
  readonly who: string
  /** Resolves with a response of status 200 to 299; throws a ProblemError for any other, and where there is none. */
  readonly ask: (path: string, init: Question, signal: AbortSignal) => Promise<Response>
}

/**
 * An access token is sent with each request; without one, a session is asked for once, and again when
 * it is refused.
 */
export function createServerRequest(
  { url: server, credential }: Omit<ServerConnection, 'to'>,
  { fetch, clock, version }: { fetch: typeof globalThis.fetch; clock: Clock; version: string },
): ServerRequest {
  let session: Promise<Session> | undefined
  const who = `the Sightline server at ${server.origin}`

  function send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('user-agent', `sightline-cli/${version}`)
    return fetch(addressBelow(server, path), { ...init, headers, redirect: 'manual' }).catch(
      (error: unknown) => {
        throw connectionProblem(error, who)
      },
    )
  }

  async function signIn(signal: AbortSignal): Promise<Session> {
    const response = await send(sessionPath, { method: 'POST', signal })
    if (response.status === 404) throw notSightline(404)
    if (!response.ok) throw await responseProblem(response, 'The Sightline server', clock.now())
    return decoded(response, Session)
  }

  async function ask(path: string, init: Question, signal: AbortSignal): Promise<Response> {
    if (credential !== undefined) {
      const headers = { ...init.headers, authorization: credential.authorization }
      const response = await send(path, { ...init, headers, signal })
      if (response.ok) return response
      throw await responseProblem(response, 'The Sightline server', clock.now())
    }
    for (let renewed = false; ; renewed = true) {
      session ??= signIn(signal).catch((error: unknown) => {
        session = undefined
        throw error
      })
      const used = session
      const { token } = await used
      const headers = { ...init.headers, authorization: `Bearer ${token}` }
      const response = await send(path, { ...init, headers, signal })
      if (response.ok) return response
      const fault = await responseProblem(response, 'The Sightline server', clock.now())
      if (response.status !== 401 || renewed) throw fault
      if (session === used) session = undefined
    }
  }

  return { who, ask }
}

/** Why a server refuses, as a sentence, with the setting that is missing where that is why. */
export function refusalOf({ sentence, status }: ProblemError, { credential }: Connection): string {
  return status === 401 && credential === undefined
    ? `${sentence} Set SIGHTLINE_TOKEN to an access token.`
    : sentence
}

/** A response as JSON of one shape. Throws a ProblemError for anything else. */
export async function decoded<S extends z.core.$ZodType>(
  response: Response,
  schema: S,
): Promise<z.output<S>> {
  const value: unknown = await response.json().catch((error: unknown) => {
    if (error instanceof SyntaxError) return undefined
    throw connectionProblem(error, 'the Sightline server')
  })
  const read = z.safeParse(schema, value)
  if (read.success) return read.data
  throw notSightline(502)
}

/** The lines of an NDJSON response that are of one shape. */
export async function decodedLines<S extends z.core.$ZodType>(
  response: Response,
  schema: S,
): Promise<readonly z.output<S>[]> {
  const text = await response.text().catch((error: unknown) => {
    throw connectionProblem(error, 'the Sightline server')
  })
  const lines = text.split('\n').map(parsedJson)
  return lines.flatMap((line) => z.safeParse(schema, line).data ?? [])
}

/** A question about builds that is answered line by line. */
export function questionAbout(buildIds: readonly string[]): Question {
  const headers = { 'content-type': 'application/json', accept: 'application/x-ndjson' }
  return { method: 'POST', headers, body: JSON.stringify({ buildIds }) }
}

/** What the events of builds say; those of which they can't be read are left out. Throws a ProblemError. */
export async function factsOfEvents(
  ask: (path: string, init: Question) => Promise<Response>,
  buildIds: readonly string[],
): Promise<ReadonlyMap<string, Facts>> {
  if (buildIds.length === 0) return new Map()
  try {
    const lines = await decodedLines(await ask(factsPath, questionAbout(buildIds)), FactsLine)
    return new Map(
      lines.flatMap(({ buildId, facts }) => (facts === undefined ? [] : [[buildId, facts]])),
    )
  } catch (error) {
    // An older Sightline reads none.
    if (error instanceof ProblemError && error.status === 404) return new Map()
    throw error
  }
}

/** What answered isn't Sightline. */
export function notSightline(status: number): ProblemError {
  const sentence = "This isn't a Sightline server, or it has another release. Check its URL."
  return problemError(status, 'not-sightline', 'Not a Sightline server', sentence)
}

/** An address below that of a server, which may itself have a path. */
export function addressBelow(server: URL, path: string): string {
  return `${server.href.replace(/\/+$/, '')}${path}`
}

/** How long is waited, ms. */
interface FetchLimits {
  /** For a connection. */
  readonly connectMs: number
  /** For the next byte, unless the request says that it waits longer (`preferredWait`). */
  readonly silentMs: number
}

/**
 * `fetch` whose response body fails unless HTTP says that it is whole: those of older Node take one that was cut
 * behind `Connection: close`, or over HTTP/1.0, for whole. Follows no redirects and unzips gzip.
 */
export function fetchWithin(limits: FetchLimits): typeof globalThis.fetch {
  return async (input, init) => {
    const asked = new Request(input, init)
    const body = asked.body === null ? undefined : Buffer.from(await asked.arrayBuffer())
    const message = await answerTo(asked, body, limits).catch((error: unknown) => {
      throw asked.signal.aborted ? asked.signal.reason : error
    })
    const headers = new Headers()
    for (let at = 0; at + 1 < message.rawHeaders.length; at += 2) {
      headers.append(message.rawHeaders[at] ?? '', message.rawHeaders[at + 1] ?? '')
    }
    const status = message.statusCode ?? 0
    const hasBody = status !== 204 && status !== 205 && status !== 304
    if (!hasBody) message.resume()
    const isGzip = /^(?:x-)?gzip$/i.test(headers.get('content-encoding') ?? '')
    const pieces = wholePieces(message, isGzip)
    return new Response(hasBody ? streamOf(pieces, asked.signal) : null, { status, headers })
  }
}

/** The command line's. Live feeds are never silent for so long. */
export const fetchWhole = fetchWithin({ connectMs: 10_000, silentMs: 300_000 })

/** The response once its headers are there; rejects where there is none. */
function answerTo(
  asked: Request,
  body: Buffer | undefined,
  { connectMs, silentMs }: FetchLimits,
): Promise<IncomingMessage> {
  const { url, method, signal } = asked
  return new Promise((resolve, reject) => {
    const options = {
      method,
      signal,
      // `setTimeout` counts from when there is a connection.
      timeout: connectMs,
      headers: { 'accept-encoding': 'gzip', ...Object.fromEntries(asked.headers) },
    }
    const request = url.startsWith('https:')
      ? tlsRequest(url, options, resolve)
      : plainRequest(url, options, resolve)
    let code = 'ETIMEDOUT'
    const waitMs = preferredWaitMs(asked.headers.get('prefer')) ?? 0
    const connected = (): void => {
      code = 'SILENT'
      request.setTimeout(Math.max(silentMs, waitMs))
    }
    request.on('timeout', () => {
      request.destroy(Object.assign(new Error(code), { code }))
    })
    request.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', connected)
      else connected()
    })
    request.once('error', reject)
    request.end(body)
  })
}

async function* wholePieces(
  message: IncomingMessage,
  isGzip: boolean,
): AsyncGenerator<Uint8Array, void, undefined> {
  // Whatever ends one of them ends the other, and fails the reading.
  const plain = isGzip ? pipeline(message, createGunzip(), () => undefined) : message
  for await (const piece of plain) yield new Uint8Array(piece)
  if (!message.complete) throw Object.assign(new Error('cut'), { code: 'ECONNRESET' })
}

function streamOf(
  pieces: AsyncGenerator<Uint8Array, void, undefined>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const next = await pieces.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      } catch (error) {
        controller.error(signal.aborted ? signal.reason : error)
      }
    },
    cancel: async () => {
      await pieces.return()
    },
  })
}
