import type { ProblemError } from './problem.ts'

/** Why the package service did not do what it was asked, by who can do something about it. */
export type RefusalKind =
  /** It does not accept the credential that the proxy has for it. */
  | 'credential'
  /** The session with the proxy has ended. */
  | 'signed-out'
  /** It knows the user that the proxy works as, who lacks a permission. */
  | 'forbidden'
  /** The proxy has no such service. */
  | 'no-service'
  | 'not-found'
  /**
   * Something in the question is wrong; its sentence names the field
   * (docs/services.md#policy-service-problems).
   */
  | 'mistaken'
  | 'busy'
  /** The answer was never heard: offline, or the proxy is not there. */
  | 'unheard'
  | 'failed'

/** The kind of a failed call to the package service. */
export function refusalKind(fault: ProblemError): RefusalKind {
  const { status, problem } = fault
  const refused = problem.upstreamStatus
  if (refused === 401 || (status === 401 && !isOfSightline(problem.type))) return 'credential'
  if (status === 401) return 'signed-out'
  if (refused === 403 || status === 403) return 'forbidden'
  if (status === 404) return problem.type.endsWith(':no-governor') ? 'no-service' : 'not-found'
  if (status === 400) return 'mistaken'
  if (status === 429) return 'busy'
  const isUnheard = problem.type.endsWith(':offline') || problem.type.endsWith(':unreachable')
  return isUnheard ? 'unheard' : 'failed'
}

/** Problems of this project's own making have its URN; a service has its own, or none. */
function isOfSightline(type: string): boolean {
  return type.startsWith('urn:sightline:')
}
