import type { Context } from 'hono'
import type { Logger } from 'pino'
import type { Clock } from '../../protocol/clock.ts'
import { problem, ProblemError } from '../../protocol/problem.ts'
import { allowedRequest, type AllowList } from './allow-list.ts'
import type { BodyCopy } from './body-copy.ts'
import { bodyStream } from './body-stream.ts'
import { canonicalTarget, targetOf } from './canonical-target.ts'
import type { AnswerForm } from './evaluation-answer.ts'
import type { ForwardWatch, RequestWatch } from './forward-watch.ts'
import { forwardedHeaders } from './forwarded-headers.ts'
import { mediaType } from './media-type.ts'
import type { Metrics } from './metrics.ts'
import type { ProxyEnv } from './proxy-env.ts'
import { readRequestBody } from './request-body.ts'
import { acceptAnswer } from './upstream-answer.ts'
import type { Upstream } from './upstream.ts'
import type { UpstreamResponse } from './upstream-client.ts'

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
 * breaks off, so does the connection to the browser, as a cut answer must not look whole. HEAD is
 * asked as GET, whose body is given up.
 */
export function forward(options: ForwardOptions): (c: Context<ProxyEnv>) => Promise<Response> {
  const { upstream, clock } = options
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
      by: c.get('session').user.name,
    })
    const answer = await asked(options, watch, {
      path,
      method: route.method,
      headers: sentHeaders,
      ...(body === null ? {} : { body }),
      signal: raw.signal,
      headersTimeoutMs: route.headersTimeoutMs,
    })
    const { status, headers, hasBody } = await acceptAnswer(upstream, answer, clock.now())
    const watched = watch?.passed(formOf(answer))
    for (const [name, value] of Object.entries(watched?.headers ?? {})) headers.set(name, value)
    if (raw.method === 'HEAD') answer.cancel()
    const isPassed = hasBody && raw.method !== 'HEAD'
    if (!isPassed) watched?.copy?.end('complete')
    return new Response(isPassed ? passedBody(c, options, answer, watched?.copy) : null, {
      status,
      headers,
    })
  }
}

function formOf(answer: UpstreamResponse): AnswerForm {
  const encoding = (answer.header('content-encoding') ?? '').trim().toLowerCase()
  return { type: mediaType(answer), isGzip: encoding === 'gzip' }
}

function allowed(
  options: ForwardOptions,
  raw: Request,
): ReturnType<typeof allowedRequest> & { readonly segments: readonly string[] } {
  const check = canonicalTarget(targetOf(raw.url))
  if (!check.ok) {
    throw new ProblemError(problem(check.status, 'bad-target', 'Bad address', check.mistake))
  }
  const below = check.target.segments.slice(options.prefix.split('/').length - 1)
  const method = raw.method === 'HEAD' ? 'GET' : raw.method
  return {
    ...allowedRequest(options.allowList, method, below, check.target.query),
    segments: below,
  }
}

async function asked(
  options: ForwardOptions,
  watch: RequestWatch | undefined,
  request: Parameters<Upstream['client']['request']>[0],
): Promise<UpstreamResponse> {
  const { upstream, metrics } = options
  try {
    const answer = await upstream.client.request(request)
    metrics.upstreamAnswered(upstream.name, String(answer.status))
    watch?.answered(answer.status)
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
  copy: BodyCopy | undefined,
): ReadableStream<Uint8Array> {
  const { upstream, logger, clock } = options
  return bodyStream(answer, {
    clock,
    idleMs,
    copy,
    hasLeft: () => c.req.raw.signal.aborted,
    onCut: (error) => {
      const reason =
        error === null
          ? `it was silent for ${idleMs / 1000} s`
          : upstream.redact(error instanceof Error ? error.message : 'unknown')
      logger.warn({ route: c.get('route'), reason }, 'the upstream broke off its answer')
      // The status is long sent: only a connection that breaks tells that something is missing.
      return c.env.outgoing?.destroy() !== undefined
    },
  })
}
