import {
  type PolicyAnswer,
  type PolicyResult,
  readPolicyAnswer,
} from '../protocol/policy-result.ts'
import { problem, ProblemDetail, ProblemError } from '../protocol/problem.ts'
import { noAnswer } from './no-answer.ts'

/** Far more than 50,000 results take; an answer without an end shall not take all memory. */
const mostBytes = 256 * 1024 * 1024

/** What an answer held, and why it is not whole where it is not. */
export interface ReadAnswer extends PolicyAnswer {
  readonly broken: ProblemError | undefined
}

/**
 * Reads the answer of an evaluation by its shape, whatever it is announced as: one JSON value, or a
 * value on each line. What arrived before it broke off is kept; a problem detail among the results
 * breaks it off too. Never rejects.
 */
export async function readAnswer(response: Response, who: string): Promise<ReadAnswer> {
  if (/^text\/html\b/i.test(response.headers.get('content-type') ?? '')) {
    await response.body?.cancel()
    const sentence = `A page answers in place of ${who}: check its address, and whether a sign-in page stands before it.`
    const broken = new ProblemError(problem(502, 'page', 'A page', sentence))
    return { results: [], unreadable: 0, broken }
  }
  const { text, broken } = await readText(response, who)
  return { ...readValues(text, broken !== undefined), ...(broken && { broken }) }
}

async function readText(
  response: Response,
  who: string,
): Promise<{ text: string; broken: ProblemError | undefined }> {
  const decoder = new TextDecoder()
  const pieces: string[] = []
  let bytes = 0
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength
      if (bytes > mostBytes) {
        const sentence = 'The answer is longer than 256 MiB: the rest was not read.'
        throw new ProblemError(problem(502, 'too-long', 'Too long', sentence))
      }
      pieces.push(decoder.decode(chunk, { stream: true }))
    }
    pieces.push(decoder.decode())
    return { text: pieces.join(''), broken: undefined }
  } catch (error) {
    return { text: pieces.join(''), broken: noAnswer(error, who) }
  }
}

function readValues(text: string, isCut: boolean): ReadAnswer {
  const whole = parsed(text)
  if (whole !== undefined) return withoutProblem([whole])
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  // Half a line tells nothing, and that something is missing is said already.
  const ended = isCut && !text.endsWith('\n') ? lines.slice(0, -1) : lines
  return withoutProblem(ended.map(parsed))
}

function withoutProblem(values: readonly unknown[]): ReadAnswer {
  const results: PolicyResult[] = []
  let unreadable = 0
  let broken: ProblemError | undefined
  for (const value of values) {
    // A result has its status in words, a problem in digits.
    const fault = ProblemDetail.safeParse(value)
    if (fault.success) broken ??= new ProblemError(fault.data)
    else if (value === undefined) unreadable += 1
    else {
      const part = readPolicyAnswer(value)
      results.push(...part.results)
      unreadable += part.unreadable
    }
  }
  return { results, unreadable, broken }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
