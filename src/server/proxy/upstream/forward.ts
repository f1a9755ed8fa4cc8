import type { Context } from 'hono'
import type { Logger } from 'pino'
import type { Clock } from '../../../protocol/clock.ts'
import { isOpenEnded, ndjsonLine, openEndedProblem } from '../../../protocol/ndjson.ts'
import { problemError } from '../../../protocol/problem.ts'
import { originOf } from '../history/audit.ts'
import type { ForwardWatch, RequestWatch } from '../history/evaluation-response.ts'
import type { Metrics } from '../metrics.ts'
import { readRequestBody } from '../read-request.ts'
import type { ProxyEnv, RouteHandler } from '../sessions.ts'
import { noSession } from '../sign-in/bearer-tokens.ts'
import { allowedRequest, type AllowList, canonicalTarget, targetOf } from './allow-list.ts'
import { type BodyCopy, bodyStream } from './body-stream.ts'
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
}

/**
 * Heartbeats come more often than this (docs/services.md#export-heartbeats); silence beyond it is a
 * dead connection.
 */
const idleMs = 120_000

/**
 * A handler that passes a request on to an upstream and streams its answer back: what the allow-list
 * knows and nothing else. When the browser leaves, the upstream's request ends; when the upstream
 * breaks off, so does the connection to the browser, as a cut answer must not look whole; lines that only
 * the end of the connection ends are followed by a problem. HEAD is asked as GET, whose body is given up.
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
    const watch = options.watch?.({
      pattern: route.pattern,
      segments,
      body,
      contentType: raw.headers.get('content-type'),
      origin: originOf(c),
    })
    const { ended, holder } = c.get('session')
    const answer = await untilEither(raw.signal, ended, async (signal) =>
      asked(options, await places.take(holder, signal), watch, {
        path,
        method: route.method,
        headers: sentHeaders,
        ...(body === null ? {} : { body }),
        signal,
        headersTimeoutMs: route.headersTimeoutMs,
      }),
    )
    const { status, headers, hasBody } = await acceptResponse(upstream, answer, clock.now()).catch(
      (error: unknown) => {
        watch?.answered(answer.status < 400 ? 'unusable' : answer.status)
        throw error
      },
    )
    watch?.answered(status)
    const type = mediaType(answer)
    const watched = watch?.passed(type)
    for (const [name, value] of Object.entries(watched?.headers ?? {})) headers.set(name, value)
    // Zipped, it has an end of its own.
    const mayBeCut =
      type === 'application/x-ndjson' && !answer.wasGzip && isOpenEnded(answer.header)
    const markedAnswer = mayBeCut
      ? { ...answer, body: withOpenEnd(answer.body, upstream.name) }
      : answer
    // What came zipped over a long way may have another long way to go.
    const gzip = answer.wasGzip && sentHeaders['accept-encoding'] === 'gzip'
    if (gzip) headers.set('content-encoding', 'gzip')
    if (raw.method === 'HEAD') answer.cancel()
    const isPassed = hasBody && raw.method !== 'HEAD'
    if (!isPassed) watched?.copy?.end('complete')
    return new Response(
      isPassed ? passedBody(c, options, markedAnswer, { copy: watched?.copy, gzip }) : null,
      {
        status,
        headers,
      },
    )
  }
}

/** Lines, and behind the last one the problem that nobody knows whether more were to come. */
async function* withOpenEnd(
  lines: AsyncIterable<Uint8Array>,
  upstream: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* lines
  yield Buffer.from(`\n${ndjsonLine(openEndedProblem(`the ${upstream}`))}`)
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
 * Does something until the browser leaves or its session ends, which is a ProblemError 401. By hand:
 * `AbortSignal.any` keeps what it makes for as long as the session lives.
 */
async function untilEither<T>(
  left: AbortSignal,
  ended: AbortSignal,
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
    throw ended.aborted ? noSession('The session has ended') : error
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
    watch?.answered(null)
    throw error
  }
}

function passedBody(
  c: Context<ProxyEnv>,
  options: ForwardOptions,
  answer: UpstreamResponse,
  { copy, gzip }: { readonly copy: BodyCopy | undefined; readonly gzip: boolean },
): ReadableStream<Uint8Array> {
  const { upstream, logger, clock } = options
  return bodyStream(answer, {
    clock,
    idleMs,
    copy,
    gzip,
    hasLeft: () => c.req.raw.signal.aborted,
    ended: c.get('session').ended,
    onCut: (error) => {
      if (c.get('session').ended.aborted) return c.env.outgoing?.destroy() !== undefined
      const reason =
        error === null
          ? `no data for ${idleMs / 1000} s`
          : upstream.redact(error instanceof Error ? error.message : 'unknown')
      logger.warn(
        { route: c.get('route'), reason },
        'the upstream closed the connection mid-response',
      )
      // The status is long sent: only a connection that breaks tells that something is missing.
      return c.env.outgoing?.destroy() !== undefined
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
