import { isProblemType, problem, ProblemDetail, ProblemError } from '../../../protocol/problem.ts'
import { retryAfterMs } from '../../../protocol/retry-after.ts'

const maxDetailCharacters = 64 * 1024

/**
 * What a refused request comes to: the proxy's own problem detail where it sent a readable one,
 * otherwise a sentence made from the status. Reads the body at most to `longest` characters and always
 * lets go of it, so that no connection is left open. `now` is epoch ms, for a dated Retry-After.
 */
export async function problemOfResponse(
  response: Response,
  now: number,
  longest = maxDetailCharacters,
): Promise<ProblemError> {
  const wait = retryAfterMs(response.headers.get('retry-after'), now)
  const told = isProblemType(response.headers.get('content-type'))
  const detail = told ? decodeDetail(await readStart(response, longest)) : undefined
  if (!told) await response.body?.cancel()
  return new ProblemError(detail ?? plainProblem(response.status), {
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  })
}

async function readStart(response: Response, longest: number): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return ''
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text
    text += value
    if (text.length > longest) {
      await reader.cancel()
      return ''
    }
  }
}

function decodeDetail(text: string): ProblemDetail | undefined {
  try {
    return ProblemDetail.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function plainProblem(status: number): ProblemDetail {
  return problem(status, `status-${status}`, `HTTP ${status}`, sentenceOf(status))
}

function sentenceOf(status: number): string {
  switch (status) {
    case 400:
      return 'The proxy does not understand what was asked.'
    case 401:
      return 'The session has ended.'
    case 403:
      return 'This session lacks the permission for it.'
    case 404:
      return 'The proxy does not have it, or hides it from this session.'
    case 429:
      return 'The proxy is asked too often.'
    case 503:
      return 'The proxy is not ready.'
    default:
      return `The proxy answered with status ${status}.`
  }
}
