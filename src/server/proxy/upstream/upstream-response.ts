import { z } from 'zod'
import { retryAfterMs } from '../../../protocol/back-off.ts'
import { withoutCredentials } from '../../../protocol/credential-shapes.ts'
import {
  isProblemType,
  problem,
  ProblemDetail,
  ProblemError,
  problemError,
} from '../../../protocol/problem.ts'
import type { Route } from './allow-list.ts'
import { mediaType, readBounded, type UpstreamResponse } from './upstream-client.ts'
import { linksOf } from './upstream-log.ts'
import type { Upstream } from './upstream.ts'

/** What of an upstream's answer goes to the browser. */
export interface AcceptedResponse {
  readonly status: number
  readonly headers: Headers
  /** False for answers without a body (204, 304), whose connection is already given back. */
  readonly hasBody: boolean
}

/**
 * Looks at an upstream's answer before a byte of it goes to a browser. Data of the expected media
 * types passes with the headers of an allow-list; where a route `needsData`, with 200 alone. Everything else is thrown as a ProblemError, with
 * the body read or given up: 401 and 403 (the browser cannot do anything about the proxy's
 * credential) and redirects (never followed) become 502; a problem detail keeps its status and its
 * members, without credentials and stack traces; any other error becomes a general one.
 */
export async function acceptResponse(
  upstream: Upstream,
  answer: UpstreamResponse,
  now: number,
  { needsData = false }: Pick<Route, 'needsData'> = {},
): Promise<AcceptedResponse> {
  const { status } = answer
  const elsewhere = misdirection(answer, upstream.name, upstream.settings.url)
  if (!needsData && (status === 204 || status === 304)) {
    answer.cancel()
    return { status, headers: passedHeaders(answer), hasBody: false }
  }
  if (status === 200 || (!needsData && (status === 201 || status === 202))) {
    const mistake = mistakeInMedia(answer, needsData)
    if (mistake === null) return { status, headers: passedHeaders(answer), hasBody: true }
    answer.cancel()
    throw elsewhere === undefined
      ? unusable(upstream, mistake)
      : problemError(502, 'upstream-answer', 'Unusable response', elsewhere)
  }
  if (status === 401 || status === 403) {
    answer.cancel()
    throw authorizationProblem(upstream, status)
  }
  if (status === 407) {
    answer.cancel()
    throw unusable(upstream, 'a request for proxy credentials (407)')
  }
  if (status >= 400) throw await upstreamError(upstream, answer, now)
  answer.cancel()
  throw elsewhere === undefined
    ? unusable(upstream, `an unexpected status (${status})`)
    : problemError(502, 'upstream-redirect', 'Unexpected redirect', elsewhere)
}

const passed = [
  'content-type',
  'content-length',
  // The clock that the times in the body are by (RFC 9110, 6.6.1).
  'date',
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
  const links = linksOf(answer.header('link') ?? '', answer.url)
  if (links.length > 0)
    headers.set('link', links.map((link) => `<${link}>; rel="deprecation"`).join(', '))
  if (!/^\d+$/.test(headers.get('content-length') ?? '')) headers.delete('content-length')
  // Reverse proxies on the way must not hold a stream back.
  headers.set('x-accel-buffering', 'no')
  return headers
}

/** JSON, lines of JSON and event streams, unzipped. A page or a picture is neither. */
function mistakeInMedia(answer: UpstreamResponse, needsData: boolean): string | null {
  const encoding = (answer.header('content-encoding') ?? 'identity').trim().toLowerCase()
  if (encoding !== 'identity') return 'an unrequested compression'
  const type = mediaType(answer)
  if (type === '' && answer.header('content-length') === '0') return needsData ? 'nothing' : null
  const expected =
    /^application\/(?:json|x-ndjson|(?!problem\+)[\w.-]+\+json)$/.test(type) ||
    type === 'text/event-stream'
  return expected ? null : 'something other than data'
}

function unusable(upstream: Upstream, what: string): ProblemError {
  return problemError(
    502,
    'upstream-answer',
    'Unusable response',
    `The ${upstream.name} responded with ${what}. Check ${upstream.settings.url}: something in between, such as a sign-in page, may have responded instead.`,
  )
}

function authorizationProblem(upstream: Upstream, status: 401 | 403): ProblemError {
  const detail =
    status === 401
      ? `The ${upstream.name} rejects Sightline's credentials, which may have expired or been revoked. An administrator must renew ${upstream.settings.credential} and restart Sightline.`
      : `The ${upstream.name} doesn't allow Sightline's user to do this. An administrator of the server must grant the permission.`
  return problemError(502, 'upstream-auth', 'Access denied by the upstream', detail, {
    upstreamStatus: status,
  })
}

const maxProblemBytes = 1024 * 1024
const deepest = 16
const stackMembers = new Set(['trace', 'stackTrace', 'stacktrace', 'stack', 'exception'])

/**
 * An upstream's error (status 400 to 599) as a ProblemError of the same status. A problem detail
 * keeps its members, also those beyond the standard (some say what was stored before a failure),
 * without credentials and stack traces; of any other body only what it says was stored is kept, with a
 * general sentence.
 * Retry-After is kept. The body is read or given up.
 */
async function upstreamError(
  upstream: Upstream,
  answer: UpstreamResponse,
  now: number,
): Promise<ProblemError> {
  const wait = retryAfterMs(answer.header, now)
  const told = await jsonIn(answer)
  const detail = ProblemDetail.safeParse(told).data ?? {
    ...generalProblem(upstream, answer.status),
    ...Partly.safeParse(told).data,
  }
  return new ProblemError(
    ProblemDetail.parse({ ...withoutSecrets(detail, upstream), status: answer.status }),
    wait === undefined ? {} : { retryAfterMs: wait },
  )
}

/** What some servers answer without a problem detail to a publication that failed half way. */
const Partly = z.object({
  successes: z.array(z.unknown()).optional(),
  errors: z.array(z.unknown()).optional(),
})

/** The body, where it is JSON by its type and by itself; else null. */
async function jsonIn(answer: UpstreamResponse): Promise<unknown> {
  const type = mediaType(answer)
  if (!isProblemType(type) && type !== 'application/json') {
    answer.cancel()
    return null
  }
  try {
    const bytes = await readBounded(answer, maxProblemBytes)
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    // Cut off, too long, or no JSON after all: the status alone has to do.
    return null
  }
}

function generalProblem(upstream: Upstream, status: number): ProblemDetail {
  const { name } = upstream
  const detail =
    status === 404
      ? `Not found on the ${name}, or Sightline's user may not see it.`
      : status >= 500
        ? `The ${name} failed (${status}) without giving a reason. Try again later.`
        : `The ${name} rejected the request (${status}) without giving a reason.`
  return problem(status, 'upstream-error', 'Upstream error', detail)
}

/** Of others' credentials what looks like one, but in what was stored: its addresses stay as they are. */
function withoutSecrets(detail: ProblemDetail, { redact }: Upstream): Record<string, unknown> {
  const masked = (text: string): string => withoutCredentials(redact(text))
  return Object.fromEntries(
    Object.entries(detail)
      .filter(([key]) => !stackMembers.has(key))
      .map(([key, value]) => [
        redact(key),
        redacted(value, key === 'successes' ? redact : masked, deepest),
      ]),
  )
}

function redacted(value: unknown, redact: Upstream['redact'], depth: number): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return '…'
  if (Array.isArray(value)) {
    return value.map((item: unknown) => redacted(item, redact, depth - 1))
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redact(key), redacted(item, redact, depth - 1)]),
  )
}

/**
 * What it means when a server redirects, or sends a web page where data was expected, and what to
 * do: in front of it, as a rule, stands a sign-in page. Undefined for every other response.
 */
export function misdirection(
  response: UpstreamResponse,
  server: string,
  urlSetting: string,
): string | undefined {
  const { status } = response
  if (status > 300 && status < 400 && status !== 304) {
    const to = originOf(response.header('location')) ?? 'another page'
    return `The ${server} redirects to ${to} (${status}), which Sightline doesn't follow. Check that ${urlSetting} is the server's own URL. If that is a sign-in page, let Sightline's requests pass without it.`
  }
  return status < 300 && mediaType(response) === 'text/html'
    ? `The ${server} responded with a web page instead of data. Check that ${urlSetting} is the server's own URL. If a sign-in page stands in front of it, let Sightline's requests pass without it.`
    : undefined
}

/** Nothing of an address but its origin: paths and queries of sign-in pages hold tokens. */
function originOf(location: string | null): string | null {
  if (location === null || !URL.canParse(location)) return null
  const { protocol, origin } = new URL(location)
  return /^https?:$/.test(protocol) && origin.length <= 200 ? origin : null
}
