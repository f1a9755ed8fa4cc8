import { type PublishAnswer, readPublishAnswer } from '../../../protocol/publish-answer.ts'
import { ProblemDetail, ProblemError } from '../../../protocol/problem.ts'
import { readJsonParts } from '../core/json-parts.ts'

/** What one part of an answer tells; with the problem where the service says in it that it failed. */
export interface PublishPart {
  readonly answer: PublishAnswer
  readonly problem: ProblemError | undefined
}

const nothing: PublishAnswer = { outcomes: [], status: null, unreadable: 0 }

/**
 * The parts of a publication's answer as they arrive, whatever their shape. Throws a ProblemError
 * where the answer breaks off.
 */
export async function* readPublishParts(
  response: Response,
): AsyncGenerator<PublishPart, void, undefined> {
  for await (const values of readJsonParts(response)) {
    for (const value of values) {
      // A result has its status in words, a problem in digits.
      const fault = ProblemDetail.safeParse(value)
      yield fault.success
        ? partOfProblem(new ProblemError(fault.data))
        : { answer: readPublishAnswer(value), problem: undefined }
    }
  }
}

/**
 * What a failure tells: with `successes` and `errors` it is a partial one
 * (docs/services.md#publish-responses).
 */
export function partOfProblem(fault: ProblemError): PublishPart {
  const { successes, errors } = fault.problem
  const isTelling = Array.isArray(successes) || Array.isArray(errors)
  return { answer: isTelling ? readPublishAnswer(fault.problem) : nothing, problem: fault }
}
