import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { isProblemType, problem, ProblemDetail, ProblemError } from '../../protocol/problem.ts'
import { retryAfterMs } from '../../protocol/retry-after.ts'
import { readBounded } from './bounded-body.ts'
import { mediaType } from './media-type.ts'
import type { Upstream } from './upstream.ts'
import type { UpstreamResponse } from './upstream-client.ts'

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
export async function upstreamError(
  upstream: Upstream,
  answer: UpstreamResponse,
  now: number,
): Promise<ProblemError> {
  const wait = retryAfterMs(answer.header('retry-after'), now)
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
    const zipped = answer.header('content-encoding')?.trim().toLowerCase() === 'gzip'
    const plain = zipped ? gunzipSync(bytes, { maxOutputLength: maxProblemBytes }) : bytes
    return JSON.parse(plain.toString('utf8'))
  } catch {
    // Cut off, too long, or no JSON after all: the status alone has to do.
    return null
  }
}

function generalProblem(upstream: Upstream, status: number): ProblemDetail {
  const { name } = upstream
  const detail =
    status === 404
      ? `The ${name} does not have this, or does not show it to the proxy's credential.`
      : status >= 500
        ? `The ${name} failed (${status}) without saying why. Try again later.`
        : `The ${name} refused the request (${status}) without saying why.`
  return problem(status, 'upstream-error', 'Upstream error', detail)
}

function withoutSecrets(detail: ProblemDetail, upstream: Upstream): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(detail)
      .filter(([key]) => !stackMembers.has(key))
      .map(([key, value]) => [upstream.redact(key), redacted(value, upstream, deepest)]),
  )
}

function redacted(value: unknown, upstream: Upstream, depth: number): unknown {
  if (typeof value === 'string') return upstream.redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return '…'
  if (Array.isArray(value)) {
    return value.map((item: unknown) => redacted(item, upstream, depth - 1))
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      upstream.redact(key),
      redacted(item, upstream, depth - 1),
    ]),
  )
}
