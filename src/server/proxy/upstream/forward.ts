import type { Context } from 'hono'
import type { Logger } from 'pino'
import { preferredWaitMs } from '../../../protocol/back-off.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { isJsonType } from '../../../protocol/json-splitter.ts'
import { brokeOffProblem, ndjsonLine, openEndedProblem } from '../../../protocol/ndjson.ts'
import { parsedJson, reasonOf } from '../../../protocol/parsed-text.ts'
import { endsItself } from '../../../protocol/policy-result.ts'
import { type ProblemDetail, ProblemError, problemError } from '../../../protocol/problem.ts'
import { originOf } from '../history/audit.ts'
import type { ForwardWatch, RequestWatch } from '../history/evaluation-response.ts'
import type { Metrics } from '../metrics.ts'
import { readRequestBody } from '../read-request.ts'
import type { ProxyEnv, RouteHandler } from '../sessions.ts'
import { noSession } from '../sign-in/bearer-tokens.ts'
import { allowedRequest, type AllowList, canonicalTarget, targetOf } from './allow-list.ts'
import { bodyStream, type BodyStreamOptions } from './body-stream.ts'
import {
  createPlaces,
  mediaType,
  type UpstreamClient,
  type UpstreamResponse,
} from './upstream-client.ts'
import { acceptResponse } from './upstream-response.ts'
import type { Upstream } from './upstream.ts'

/** How requests for one upstream are passed on. */
export interface ForwardOptions {
  readonly upstream: Upstream
  readonly allowList: AllowList
  /** The path before the upstream's own, such as `/upstream/build-data`. */
  readonly prefix: string
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
  /** Who watches what is asked and answered. */
  readonly watch?: ForwardWatch
  /** Aborts when the process is about to end: what is still passed on then breaks off like any other. */
  readonly stopping?: AbortSignal | undefined
}

/**
 * Heartbeats come more often than this (docs/services.md#export-heartbeats); silence beyond it is a
 * dead connection.
 */
const idleMs = 120_000
/** Whoever waits longer for an evaluation may say so (docs/design.md#long-evaluations), up to this: it has a place meanwhile. */
const longestWaitMs = 15 * 60_000

/** How long a reader may take for the words that end a response, ms. */
const lastWordsMs = 5000

/**
 * A handler that passes a request on to an upstream and streams its answer back: what the allow-list
 * knows and nothing else. When the browser leaves, the upstream's request ends; when the upstream
 * breaks off, so does the connection to the browser, as a cut answer must not look whole, behind a problem as the last
 * line; lines that only the end of the connection ends are followed by one, too. HEAD is asked as GET, whose body is given up.
 */
export function forward(options: ForwardOptions): RouteHandler {
  const { upstream, clock } = options
  const places = createPlaces(upstream.client, upstream.name, clock)
  return async (c) => {
    const { raw } = c.req
    const { route, path, segments } = allowed(options, raw)
    c.set('route', `${options.prefix}${route.pattern}`)
    const body = route.method === 'POST' ? await readRequestBody(raw) : null
    const sentHeaders = forwardedHeaders(raw.headers, body !== null)
    const { ended, holder } = c.get('session')
    // Only evaluating and publishing ask further services, and come in lines, whatever these are announced as.
    const isPost = route.method === 'POST'
    const waitMs = isPost
      ? Math.min(preferredWaitMs(raw.headers.get('prefer')) ?? 0, longestWaitMs)
      : 0
    let isSent = false
    // A page that is told to have no session signs in and sends the request again.
    const whenEnded = (): ProblemError =>
      isSent && route.isFinal === true
        ? new ProblemError(sessionEnded)
        : noSession('The session has ended')
    const { watch, answer } = await untilEither(
      raw.signal,
      { ended, whenEnded },
      async (signal) => {
        const place = await places.take(holder, signal)
        isSent = true
        // Only now is it sent: what waits for a place hasn't begun.
        const watch = options.watch?.({
          pattern: route.pattern,
          segments,
          body,
          contentType: raw.headers.get('content-type'),
          origin: originOf(c),
        })
        const answer = await asked(options, place, watch, {
          path,
          method: route.method,
          headers: sentHeaders,
          ...(body === null ? {} : { body }),
          signal,
          headersTimeoutMs: Math.max(route.headersTimeoutMs, waitMs),
        })
        return { watch, answer }
      },
    )
    const now = clock.now()
    const { status, headers, hasBody } = await acceptResponse(upstream, answer, now, route).catch(
      (error: unknown) => {
        watch?.answered(answer.status < 400 ? 'unusable' : answer.status)
        throw error
      },
    )
    watch?.answered(status)
    const type = mediaType(answer)
    const watched = watch?.passed(type)
    for (const [name, value] of Object.entries(watched?.headers ?? {})) headers.set(name, value)
    const markedAnswer =
      isPost && answer.isOpenEnded
        ? { ...answer, body: withOpenEnd(answer.body, type, upstream.name) }
        : answer
    const lastWords =
      isPost && !headers.has('content-length')
        ? (isSessionOver: boolean) => lastLine(isSessionOver ? sessionEnded : brokeOffProblem())
        : undefined
    // The reader may be farther away than the upstream. A gate can tell a cut only by what isn't zipped.
    const isLongJson = isJsonType(type) && Number(headers.get('content-length') ?? Infinity) > 1024
    const gzip =
      (answer.wasGzip || (isLongJson && !isPost)) && sentHeaders['accept-encoding'] === 'gzip'
    if (gzip) {
      headers.set('content-encoding', 'gzip')
      headers.delete('content-length')
    }
    if (raw.method === 'HEAD') answer.cancel()
    const isPassed = hasBody && raw.method !== 'HEAD'
    if (!isPassed) watched?.copy?.end('complete')
    return new Response(
      isPassed
        ? passedBody(c, options, markedAnswer, {
            idleMs: Math.max(idleMs, waitMs),
            copy: watched?.copy,
            gzip,
            lastWords,
          })
        : null,
      {
        status,
        headers,
      },
    )
  }
}

/** One JSON text is held so far, to see whether its last bracket ends it; of an array none is. */
const mostHeld = 16 * 1024 * 1024

/**
 * The pieces of a body, and behind the last one the problem that nobody knows whether more were to come, unless it
 * is one array or object: whatever it is announced as, it may be lines.
 */
async function* withOpenEnd(
  body: AsyncIterable<Uint8Array>,
  type: string,
  upstream: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const held: Uint8Array[] = []
  let length = 0
  let isArray = false
  for await (const piece of body) {
    if (length === 0 && isJsonType(type)) isArray = /^\s*\[/.test(Buffer.from(piece).toString())
    length += piece.length
    if (!isArray && length <= mostHeld) held.push(piece)
    yield piece
  }
  const isWhole =
    isArray ||
    (isJsonType(type) &&
      length <= mostHeld &&
      endsItself(parsedJson(new TextDecoder().decode(Buffer.concat(held)))))
  if (!isWhole) yield lastLine(openEndedProblem(`the ${upstream}`))
}

const sessionEnded: ProblemDetail = {
  ...brokeOffProblem(),
  detail: 'The session or access token of the request ended before the response was complete.',
}

/** A line of its own, behind half a line, too. */
function lastLine(detail: ProblemDetail): Uint8Array {
  return Buffer.from(`\n${ndjsonLine(detail)}`)
}

function allowed(
  options: ForwardOptions,
  raw: Request,
): ReturnType<typeof allowedRequest> & { readonly segments: readonly string[] } {
  const check = canonicalTarget(targetOf(raw.url))
  if (!check.ok) {
    throw problemError(check.status, 'bad-target', 'Bad address', check.mistake)
  }
  const below = check.target.segments.slice(options.prefix.split('/').length - 1)
  const method = raw.method === 'HEAD' ? 'GET' : raw.method
  return {
    ...allowedRequest(options.allowList, method, below, check.target.query),
    segments: below,
  }
}

/**
 * Does something until the browser leaves or its session ends, which is a ProblemError. Not by `withAnyOf`: what
 * is received may not be read yet, so a browser that leaves later still ends it.
 */
async function untilEither<T>(
  left: AbortSignal,
  { ended, whenEnded }: { readonly ended: AbortSignal; readonly whenEnded: () => ProblemError },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const leaving = new AbortController()
  const leave = (): void => {
    leaving.abort()
  }
  left.addEventListener('abort', leave)
  ended.addEventListener('abort', leave)
  try {
    return await work(leaving.signal)
  } catch (error) {
    throw ended.aborted ? whenEnded() : error
  } finally {
    ended.removeEventListener('abort', leave)
  }
}

async function asked(
  options: ForwardOptions,
  client: Pick<UpstreamClient, 'request'>,
  watch: RequestWatch | undefined,
  request: Parameters<UpstreamClient['request']>[0],
): Promise<UpstreamResponse> {
  const { upstream, metrics } = options
  try {
    const answer = await client.request(request)
    metrics.upstreamAnswered(upstream.name, String(answer.status))
    return answer
  } catch (error) {
    metrics.upstreamAnswered(upstream.name, 'none')
    watch?.answered(request.signal?.aborted === true ? 'canceled' : null)
    throw error
  }
}

function passedBody(
  c: Context<ProxyEnv>,
  options: ForwardOptions,
  answer: UpstreamResponse,
  how: Pick<BodyStreamOptions, 'idleMs' | 'copy' | 'gzip' | 'lastWords'>,
): ReadableStream<Uint8Array> {
  const { upstream, logger, clock, stopping } = options
  return bodyStream(answer, {
    clock,
    ...how,
    hasLeft: () => c.req.raw.signal.aborted,
    ended: c.get('session').ended,
    stopping,
    onCut: (error, words) => {
      if (!c.get('session').ended.aborted && stopping?.aborted !== true) {
        const reason =
          error === null ? `no data for ${how.idleMs / 1000} s` : upstream.redact(reasonOf(error))
        logger.warn(
          { route: c.get('route'), reason },
          'the upstream closed the connection mid-response',
        )
      }
      const { outgoing } = c.env
      // The status is long sent: only a connection that breaks tells that something is missing.
      if (words === undefined || outgoing?.headersSent !== true) {
        return outgoing?.destroy() !== undefined
      }
      const end = (): void => {
        stopWatch()
        outgoing.destroy()
      }
      const stopWatch = clock.after(lastWordsMs, end)
      outgoing.write(words, end)
      return true
    },
  })
}

/**
 * The request headers that an upstream gets to see, by an allow-list: nothing else of a browser's
 * request is sent on, whatever it is called. The upstream is asked for gzip or nothing, as both can
 * be passed on without being understood. Throws a ProblemError: 400 for a Last-Event-ID that no
 * upstream can have given, 415 for a body of another type than the services take.
 */
function forwardedHeaders(headers: Headers, hasBody: boolean): Record<string, string> {
  const sent: Record<string, string> = {
    accept: printable(headers.get('accept')) ?? '*/*',
    'accept-encoding': /\bgzip\b/i.test(headers.get('accept-encoding') ?? '') ? 'gzip' : 'identity',
  }
  const ifNoneMatch = printable(headers.get('if-none-match'))
  if (ifNoneMatch !== null) sent['if-none-match'] = ifNoneMatch
  const lastEventId = headers.get('last-event-id')
  if (lastEventId !== null) sent['last-event-id'] = checkedEventId(lastEventId)
  if (hasBody) sent['content-type'] = checkedBodyType(headers.get('content-type'))
  return sent
}

/**
 * A build id, or the number of an event in a build's own stream
 * (docs/services.md#export-event-message).
 */
function checkedEventId(id: string): string {
  if (/^(?:[\w.~-]{13}|\d{1,19})$/.test(id)) return id
  throw problemError(
    400,
    'bad-event-id',
    'Bad Last-Event-ID',
    'Last-Event-ID must be a build id (13 letters or digits) or a number.',
  )
}

function checkedBodyType(type: string | null): string {
  const taken =
    /^(?:application\/json|application\/x-www-form-urlencoded|multipart\/form-data)(?:;[\x20-\x7e]{1,200})?$/i
  if (type !== null && taken.test(type)) return type
  throw problemError(
    415,
    'unsupported-body',
    'Unsupported media type',
    'The body must be application/json, application/x-www-form-urlencoded or multipart/form-data.',
  )
}

function printable(value: string | null): string | null {
  return value !== null && /^[\x20-\x7e]{1,512}$/.test(value) ? value : null
}
