import { problem, ProblemError } from '../../protocol/problem.ts'
import { mediaType } from './media-type.ts'
import type { Upstream } from './upstream.ts'
import type { UpstreamResponse } from './upstream-client.ts'
import { upstreamError } from './upstream-error.ts'

/** What of an upstream's answer goes to the browser. */
export interface AcceptedAnswer {
  readonly status: number
  readonly headers: Headers
  /** False for answers without a body (204, 304), whose connection is already given back. */
  readonly hasBody: boolean
}

/**
 * Looks at an upstream's answer before a byte of it goes to a browser. Data of the expected media
 * types passes with the headers of an allow-list. Everything else is thrown as a ProblemError, with
 * the body read or given up: 401 and 403 (the browser cannot do anything about the proxy's
 * credential) and redirects (never followed) become 502; a problem detail keeps its status and its
 * members, without credentials and stack traces; any other error becomes a general one.
 */
export async function acceptAnswer(
  upstream: Upstream,
  answer: UpstreamResponse,
  now: number,
): Promise<AcceptedAnswer> {
  const { status } = answer
  if (status === 204 || status === 304) {
    answer.cancel()
    return { status, headers: passedHeaders(answer), hasBody: false }
  }
  if (status === 200 || status === 201 || status === 202) {
    const mistake = mistakeInMedia(answer)
    if (mistake === null) return { status, headers: passedHeaders(answer), hasBody: true }
    answer.cancel()
    throw unusable(upstream, mistake)
  }
  if (status === 401 || status === 403) {
    answer.cancel()
    throw authorizationProblem(upstream, status)
  }
  if (status >= 400) throw await upstreamError(upstream, answer, now)
  answer.cancel()
  throw status >= 300
    ? new ProblemError(
        problem(
          502,
          'upstream-redirect',
          'Upstream redirects',
          `The ${upstream.name} answered with a redirect, which is not followed. Check ${upstream.settings.url}: it must be the server's own address.`,
        ),
      )
    : unusable(upstream, `an unexpected status (${status})`)
}

const passed = [
  'content-type',
  'content-encoding',
  'content-length',
  'etag',
  'retry-after',
  'deprecation',
  'deprecated',
  'sunset',
]

function passedHeaders(answer: UpstreamResponse): Headers {
  const headers = new Headers({ 'cache-control': 'no-store' })
  for (const name of passed) {
    const value = answer.header(name)
    if (value !== null && /^[\x20-\x7e]{1,1024}$/.test(value)) headers.set(name, value)
  }
  if (!/^\d+$/.test(headers.get('content-length') ?? '')) headers.delete('content-length')
  // Reverse proxies on the way must not hold a stream back.
  headers.set('x-accel-buffering', 'no')
  return headers
}

/** JSON, lines of JSON and event streams; identity or gzip. A page or a picture is neither. */
function mistakeInMedia(answer: UpstreamResponse): string | null {
  const encoding = (answer.header('content-encoding') ?? 'identity').trim().toLowerCase()
  if (encoding !== 'identity' && encoding !== 'gzip') return 'a compression that was not asked for'
  const type = mediaType(answer)
  if (type === '' && answer.header('content-length') === '0') return null
  const expected =
    /^application\/(?:json|x-ndjson|(?!problem\+)[\w.-]+\+json)$/.test(type) ||
    type === 'text/event-stream'
  return expected ? null : 'something else than data'
}

function unusable(upstream: Upstream, what: string): ProblemError {
  return new ProblemError(
    problem(
      502,
      'upstream-answer',
      'Upstream answer is unusable',
      `The ${upstream.name} answered with ${what}. Check ${upstream.settings.url}: something in between, such as a sign-in page, may have answered instead.`,
    ),
  )
}

function authorizationProblem(upstream: Upstream, status: 401 | 403): ProblemError {
  const detail =
    status === 401
      ? `The ${upstream.name} does not accept the proxy's credential: it may have expired or been revoked. Whoever runs the proxy must renew ${upstream.settings.credential} and start it again.`
      : `The ${upstream.name} accepts the proxy's credential but does not allow it this. Whoever administers the server must give it the permission.`
  return new ProblemError(
    problem(502, 'upstream-auth', 'Upstream refuses the proxy', detail, { upstreamStatus: status }),
  )
}
