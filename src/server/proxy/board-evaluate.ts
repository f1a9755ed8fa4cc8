import { createBoardTally } from '../../policy/board-tally.ts'
import type { BoardOutcome } from '../../protocol/board-run.ts'
import { evaluationHeader } from '../../protocol/evaluation.ts'
import { readLines } from '../../protocol/ndjson.ts'
import { readPolicyAnswer } from '../../protocol/policy-result.ts'
import { isRetryable, problem, ProblemDetail } from '../../protocol/problem.ts'
import { retryAfterMs } from '../../protocol/retry-after.ts'

/** How asking once ended. */
export type BoardEnding =
  | { readonly is: 'done'; readonly outcome: BoardOutcome }
  /** The service has too much to do (429, 503); `retryAfterMs` if it said for how long. */
  | {
      readonly is: 'busy'
      readonly problem: ProblemDetail
      readonly retryAfterMs: number | undefined
    }
  /** The answer broke off, or the service failed: asking again may help. */
  | { readonly is: 'broken'; readonly problem: ProblemDetail }
  | { readonly is: 'refused'; readonly problem: ProblemDetail }

/** One result, which may list many addresses; characters. */
const longestLine = 4 * 1024 * 1024

/**
 * Asks once for an evaluation by `ask` and reads its answer as it comes, without holding it; calls
 * `onReading` when it begins. Never rejects: what goes wrong is an ending. `now` gives epoch ms.
 */
export async function evaluateForBoard(
  ask: () => Promise<Response>,
  now: () => number,
  onReading: () => void,
): Promise<BoardEnding> {
  try {
    const response = await ask()
    if (!response.ok) return await refusal(response, now())
    onReading()
    return await readAnswer(response)
  } catch (error) {
    return { is: 'broken', problem: brokeOff(error instanceof RangeError) }
  }
}

async function readAnswer(response: Response): Promise<BoardEnding> {
  const tally = createBoardTally()
  for await (const value of values(response)) {
    // A result has its status in words, a problem in digits.
    const fault = ProblemDetail.safeParse(value)
    if (fault.success) return { is: 'broken', problem: fault.data }
    const { results, unreadable } =
      value === undefined ? { results: [], unreadable: 1 } : readPolicyAnswer(value)
    for (const result of results) tally.add(result)
    tally.addUnreadable(unreadable)
  }
  return { is: 'done', outcome: tally.outcome(response.headers.get(evaluationHeader)) }
}

async function* values(response: Response): AsyncGenerator<unknown, void, undefined> {
  const type = response.headers.get('content-type') ?? ''
  if (/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
    yield parsed(await response.text())
    return
  }
  if (response.body === null) return
  for await (const line of readLines(response.body, longestLine)) yield parsed(line)
}

async function refusal(response: Response, now: number): Promise<BoardEnding> {
  const { status } = response
  const told = ProblemDetail.safeParse(parsed(await response.text())).data
  const detail =
    told ??
    problem(status, `status-${status}`, `HTTP ${status}`, `The service answered with ${status}.`)
  if (status === 429 || status === 503) {
    const wait = retryAfterMs(response.headers.get('retry-after'), now)
    return { is: 'busy', problem: detail, retryAfterMs: wait }
  }
  return { is: isRetryable(status) ? 'broken' : 'refused', problem: detail }
}

function brokeOff(isTooLong: boolean): ProblemDetail {
  return problem(
    502,
    'answer-broke-off',
    'The answer broke off',
    isTooLong
      ? 'A line of the answer is too long to be a result.'
      : 'The connection broke before the answer was complete.',
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
