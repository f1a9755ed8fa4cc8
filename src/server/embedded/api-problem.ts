import { ProblemError } from '../../protocol/problem.ts'

const urn = 'urn:gradle:enterprise:api:problems'

/** A request that cannot be read: names the parameter and the value. */
export function invalidRequest(detail: string): ProblemError {
  return apiProblem(400, `${urn}:validation`, 'Request validation failed.', detail)
}

/** A query that means nothing, with its mistakes as a member of their own. */
export function invalidQuery(detail: string, queryMistakes: readonly object[]): ProblemError {
  const { problem } = invalidRequest(detail)
  return new ProblemError({ ...problem, queryMistakes })
}

/** No credential, or none that is known. */
export function notAuthenticated(detail: string): ProblemError {
  return apiProblem(401, `${urn}:client-error`, 'Something was wrong with the request', detail)
}

/** The caller lacks a permission, named as people know it. */
export function notPermitted(permission: string): ProblemError {
  return apiProblem(
    403,
    'urn:gradle:enterprise:forbidden',
    'Insufficient permissions',
    `User must have the ${permission} permission to access this endpoint.`,
  )
}

/** A token that may not be made (docs/services.md#access-tokens). */
export function tokenRefused(title: string, detail: string): ProblemError {
  return apiProblem(403, `${urn}:forbidden`, title, detail)
}

/** There is no such thing, or the caller may not know of it: the answer is the same. */
export function notFound(detail?: string): ProblemError {
  return apiProblem(
    404,
    `${urn}:not-found`,
    'The requested resource is not found or the permissions to know about it are missing.',
    detail,
  )
}

/**
 * The build's data is still being stored (docs/services.md#export-problems); worth trying again
 * soon.
 */
export function stillBeingStored(buildId: string): ProblemError {
  return apiProblem(
    503,
    `${urn}:build-processing-incomplete`,
    'Build processing is incomplete.',
    `The data of build ${buildId} is not yet available for viewing. Please try again later.`,
    2000,
  )
}

/** Builds of an earlier release cannot be searched yet; worth trying again soon. */
export function stillBeingPrepared(left: number): ProblemError {
  return apiProblem(
    503,
    `${urn}:build-processing-incomplete`,
    'Build processing is incomplete.',
    `Builds stored by an earlier release are being indexed; about ${left} left. Please try again in a moment.`,
    2000,
  )
}

/**
 * The model of another tool than the build's was requested (docs/services.md#build-models); no fault to
 * show.
 */
export function modelNotApplicable(buildId: string, tool: string, requested: string): ProblemError {
  return apiProblem(
    400,
    `${urn}:build-model-not-applicable`,
    'Build model is not applicable.',
    `Build model is not available for build with ID '${buildId}' because its build tool type is '${tool}' (allowed list is '[${requested}]').`,
  )
}

/** A body over the limit. */
export function tooLarge(detail: string): ProblemError {
  return apiProblem(413, `${urn}:validation`, 'Request validation failed.', detail)
}

/** Something here failed; what, is in the log. */
export function unexpected(): ProblemError {
  return apiProblem(500, `${urn}:unexpected-error`, 'Encountered an internal server error.')
}

function apiProblem(
  status: number,
  type: string,
  title: string,
  detail?: string,
  retryAfterMs?: number,
): ProblemError {
  return new ProblemError(
    { type, title, status, ...(detail === undefined ? {} : { detail }) },
    retryAfterMs === undefined ? {} : { retryAfterMs },
  )
}
