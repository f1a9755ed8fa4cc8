import { type PolicyAnswer, readPolicyAnswer } from '../../../protocol/policy-result.ts'
import { ProblemDetail, ProblemError } from '../../../protocol/problem.ts'
import { readJsonParts } from '../core/json-parts.ts'

/**
 * The parts of an evaluation's answer as they arrive, those that came together in one list. Throws a
 * ProblemError where the answer breaks off, and the one that a service put into its answer after it
 * had begun; what came before is told first.
 */
export async function* readScanAnswer(
  response: Response,
): AsyncGenerator<readonly PolicyAnswer[], void, undefined> {
  for await (const values of readJsonParts(response, byAttestation)) {
    const parts: PolicyAnswer[] = []
    let failure: ProblemError | undefined
    for (const value of values) {
      failure = failureOf(value)
      if (failure !== undefined) break
      parts.push(value === undefined ? noResult : readPolicyAnswer(value))
    }
    yield parts
    if (failure !== undefined) throw failure
  }
}

/** The first generation of the service answers with one object (protocol/policy-result.ts). */
const byAttestation = { lists: 'results', head: 'storeUri', values: 'evaluations' }

const noResult: PolicyAnswer = { results: [], unreadable: 1 }

/** A result has its status in words, a problem in digits: nothing is both. */
function failureOf(value: unknown): ProblemError | undefined {
  const isTold = typeof value === 'object' && value !== null && 'status' in value
  if (!isTold || typeof value.status !== 'number') return undefined
  const fault = ProblemDetail.safeParse(value)
  return fault.success ? new ProblemError(fault.data) : undefined
}
