import { type PolicyAnswer, readPolicyAnswer } from '../../protocol/policy-result.ts'
import { ProblemDetail, ProblemError } from '../../protocol/problem.ts'
import { readJsonParts } from './json-parts.ts'

/**
 * The parts of an evaluation's answer as they arrive. Throws a ProblemError where the answer breaks
 * off, and the one that a service put into its answer after it had begun.
 */
export async function* readScanAnswer(
  response: Response,
): AsyncGenerator<PolicyAnswer, void, undefined> {
  for await (const value of readJsonParts(response)) {
    // A result has its status in words, a problem in digits.
    const fault = ProblemDetail.safeParse(value)
    if (fault.success) throw new ProblemError(fault.data)
    yield value === undefined ? { results: [], unreadable: 1 } : readPolicyAnswer(value)
  }
}
