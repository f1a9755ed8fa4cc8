import { problem, ProblemError } from '../../protocol/problem.ts'

/** The database cannot be used, and why in one or two plain sentences that hold no secret. */
export function unusableDatabase(why: string, cause?: unknown): ProblemError {
  return new ProblemError(
    problem(
      503,
      'database-unusable',
      'The database cannot be used',
      `The database cannot be used. ${why}`,
    ),
    cause === undefined ? {} : { cause },
  )
}
