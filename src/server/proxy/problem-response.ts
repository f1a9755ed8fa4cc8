import type { ErrorHandler } from 'hono'
import type { Logger } from 'pino'
import {
  problem,
  type ProblemDetail,
  problemError,
  ProblemError,
  problemJson,
} from '../../protocol/problem.ts'
import { databaseProblem } from '../store/database.ts'
import type { ProxyEnv } from './sessions.ts'

/**
 * A problem as the answer of this proxy: its status, its body, and the headers that go with it
 * (Allow for 405, WWW-Authenticate for 401, Retry-After where a wait is known).
 */
export function problemResponse(error: ProblemError): Response {
  const { problem: detail, status, retryAfterMs } = error
  const headers = new Headers({ 'content-type': problemJson, 'cache-control': 'no-store' })
  if (retryAfterMs !== undefined) {
    headers.set('retry-after', String(Math.max(1, Math.ceil(retryAfterMs / 1000))))
  }
  if (status === 405) headers.set('allow', methodsIn(detail).join(', '))
  if (status === 401) headers.set('www-authenticate', 'Bearer')
  return new Response(JSON.stringify(detail), { status, headers })
}

/** What is said of a fault that nobody foresaw; the log knows more. */
export const unexpectedProblem = problem(
  500,
  'unexpected',
  'Internal error',
  'Something went wrong in the Sightline server. Try again. See its log for details.',
)

/** What a route is refused with whose query failed: what is wrong with the database (`databaseProblem`), or that it is away (503). */
export function databaseAway(error: unknown, which = "Sightline's database"): ProblemError {
  const detail = `${which} isn't responding. Try again later. See the Sightline server's log for details.`
  return (
    databaseProblem(error) ??
    new ProblemError(problem(503, 'history-unavailable', 'Database unavailable', detail), {
      cause: error,
    })
  )
}

/** A host name that is not this proxy's own. */
export const unknownHost = problem(
  421,
  'unknown-host',
  'Misdirected request',
  "The host name in the request isn't allowed. To allow it, add it to SIGHTLINE_ALLOWED_HOSTS.",
)

function methodsIn(detail: ProblemDetail): readonly string[] {
  const methods = Array.isArray(detail.allow) ? detail.allow.map(String) : []
  // Whatever takes GET takes HEAD.
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}

/** The address exists but takes requests of other methods. */
export function methodNotAllowed(...methods: readonly string[]): Response {
  return problemResponse(
    problemError(
      405,
      'method-not-allowed',
      'Method not allowed',
      `This path accepts ${methods.join(' and ')} requests only.`,
      { allow: methods },
    ),
  )
}

/** There is nothing at this address. */
export function nothingHere(): Response {
  return problemResponse(
    problemError(404, 'not-found', 'Not found', 'Nothing exists at this address.'),
  )
}

/** Nobody has said where the attestation and policy scan service is. */
export function noGovernor(): Response {
  return problemResponse(
    problemError(
      404,
      'no-governor',
      'No policy service',
      'No policy service is configured. Set SIGHTLINE_GOVERNOR_URL and restart.',
    ),
  )
}

/**
 * The one place where errors become answers. A ProblemError is answered as it says; anything else is logged
 * once, without credentials, and answered by what is wrong with the database, or in general words.
 */
export function errorCatcher(options: {
  readonly logger: Logger
  readonly redact: (text: string) => string
}): ErrorHandler<ProxyEnv> {
  const { logger, redact } = options
  return (error, c) => {
    if (error instanceof ProblemError) return problemResponse(error)
    // Who has left gets no answer, and what that broke is no fault.
    if (!c.req.raw.signal.aborted) {
      logger.error(
        { route: c.get('route'), error: redact(error.stack ?? error.message) },
        'unexpected error',
      )
    }
    return problemResponse(databaseProblem(error) ?? new ProblemError(unexpectedProblem))
  }
}
