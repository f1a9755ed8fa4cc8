import { isProblemType, problem, ProblemDetail, ProblemError } from '../protocol/problem.ts'
import { retryAfterMs } from '../protocol/retry-after.ts'

/** The longest problem detail that is read, in characters. */
const longest = 64 * 1024

/**
 * What a refused request comes to: the problem detail of the answer where there is a readable one,
 * otherwise a sentence made from the status, as a page of somebody's gateway tells nothing. `now` is
 * epoch ms, for a dated Retry-After.
 */
export async function answerProblem(
  response: Response,
  who: string,
  now: number,
): Promise<ProblemError> {
  const wait = retryAfterMs(response.headers.get('retry-after'), now)
  const more = wait === undefined ? {} : { retryAfterMs: wait }
  const { status } = response
  if (!isProblemType(response.headers.get('content-type'))) {
    await response.body?.cancel()
    return new ProblemError(plainProblem(status, who), more)
  }
  const detail = ProblemDetail.safeParse(parsed((await response.text()).slice(0, longest)))
  // The status of the answer counts, whatever its body says.
  return new ProblemError(
    detail.success ? { ...detail.data, status } : plainProblem(status, who),
    more,
  )
}

function plainProblem(status: number, who: string): ProblemDetail {
  if (status >= 300 && status < 400) {
    return problem(
      status,
      'redirect',
      'Redirect',
      `${who} answers with a redirect, which is not followed: give the address that it has itself.`,
    )
  }
  return problem(
    status,
    `status-${status}`,
    `HTTP ${status}`,
    `${who} answers with status ${status}.`,
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
