import type { ProblemError } from '../../../protocol/problem.ts'
import { refusalKind } from '../../../protocol/refusal-kind.ts'

/**
 * Whether a failed publication is known to have failed. Where the service was not heard, by this
 * browser or by the proxy, it may have published all the same.
 */
export function isOutcomeKnown(fault: ProblemError): boolean {
  const isUpstreamUnheard = /:upstream-(?:unreachable|timeout)$/.test(fault.problem.type)
  return !isUpstreamUnheard && refusalKind(fault) !== 'unheard'
}
