import {
  type ProblemDetail,
  type ProblemError,
  problem,
  problemJson,
} from '../../protocol/problem.ts'

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
  'The proxy failed in a way that it should not. Try again; the log of the proxy says more.',
)

function methodsIn(detail: ProblemDetail): readonly string[] {
  return Array.isArray(detail.allow) ? detail.allow.map(String) : []
}
