import { problem, ProblemError } from '../../protocol/problem.ts'
import { problemResponse } from './problem-response.ts'

/** The address exists but takes requests of other methods. */
export function methodNotAllowed(...methods: readonly [string, ...string[]]): Response {
  return problemResponse(
    new ProblemError(
      problem(
        405,
        'method-not-allowed',
        'Method not allowed',
        `This address takes ${methods.join(' and ')} requests only.`,
        { allow: methods },
      ),
    ),
  )
}

/** There is nothing at this address. */
export function nothingHere(): Response {
  return problemResponse(
    new ProblemError(
      problem(404, 'not-found', 'Not found', 'Nothing at this address takes such a request.'),
    ),
  )
}

/** Nobody has said where the attestation and policy scan service is. */
export function noGovernor(): Response {
  return problemResponse(
    new ProblemError(
      problem(
        404,
        'no-governor',
        'No such service',
        'No attestation and policy scan service is known here: set SIGHTLINE_GOVERNOR_URL and start again.',
      ),
    ),
  )
}
