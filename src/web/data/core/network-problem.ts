import { problem, ProblemError } from '../../../protocol/problem.ts'

/** Whether the browser believes to have a network at all. */
export type IsOnline = () => boolean

/**
 * What a request comes to that got no answer, or no whole one. A ProblemError is passed as it is;
 * whatever else fetch throws says nothing that a person could use.
 */
export function networkProblem(cause: unknown, isOnline: IsOnline): ProblemError {
  if (cause instanceof ProblemError) return cause
  return new ProblemError(
    isOnline()
      ? problem(503, 'unreachable', 'Unreachable', 'The proxy cannot be reached.')
      : problem(503, 'offline', 'Offline', 'This device is offline.'),
    { cause },
  )
}
