import { ProblemError } from '../../../protocol/problem.ts'

/**
 * A request that cannot be used; `detail` begins as in docs/services.md#policy-service-problems.
 */
export function badRequest(detail: string): ProblemError {
  return governorProblem(400, 'Bad Request', `Invalid request content. ${detail}`)
}

/** No credential, or none that is known. */
export function notAuthenticated(): ProblemError {
  return governorProblem(
    401,
    'Unauthorized',
    'Full authentication is required to access this resource',
  )
}

/** The package or repository is not for the caller to read. */
export function forbidden(): ProblemError {
  return governorProblem(403, 'Forbidden', 'Access to this resource is forbidden')
}

/** No scan has this name. */
export function noSuchScan(name: string): ProblemError {
  return governorProblem(404, 'Not Found', `Policy scan '${name}' not found`)
}

/** No such attestation, or no such store: the answer is the same. */
export function noSuchAttestation(): ProblemError {
  return governorProblem(404, 'Not Found', 'No attestation found matching request.')
}

/** No operation of the service has this path. */
export function noSuchOperation(): ProblemError {
  return governorProblem(404, 'Not Found', 'No operation exists at this path.')
}

/** The path is that of an operation, but of another method. */
export function wrongMethod(method: string, right: string): ProblemError {
  return governorProblem(405, 'Method Not Allowed', `${method} isn't allowed here. Use ${right}.`)
}

/** The pool is exhausted, for who evaluates; it clears within seconds. */
export function tooManyRequests(): ProblemError {
  return governorProblem(
    429,
    'Too Many Requests',
    'The service is experiencing too many requests. Please try again later.',
  )
}

/** A service that this one depends on failed; `reason` is for people. */
export function externalFailure(reason: string, more: Record<string, unknown> = {}): ProblemError {
  return governorProblem(
    500,
    'Internal Server Error',
    `An error occurred while trying to communicate with an external service: ${reason}`,
    more,
  )
}

/** The pool stayed exhausted for `ms`, for who publishes. */
export function noFreePlace(ms: number): ProblemError {
  return externalFailure(
    `no connection was available within ${ms / 1000} seconds. Nothing was published. Try again later.`,
  )
}

/**
 * Every problem of this service has the type `about:blank`
 * (docs/services.md#policy-service-problems).
 */
function governorProblem(
  status: number,
  title: string,
  detail: string,
  more: Record<string, unknown> = {},
): ProblemError {
  return new ProblemError({ ...more, type: 'about:blank', title, status, detail })
}
