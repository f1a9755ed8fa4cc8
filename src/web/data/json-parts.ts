import { readLines } from '../../protocol/ndjson.ts'
import { problem, ProblemError } from '../../protocol/problem.ts'

/** The longest line that is read, in characters: one result, which may list many addresses. */
const longestLine = 4 * 1024 * 1024

/**
 * The values of an answer as they arrive: lines of NDJSON, or the whole of a service that answers in
 * one piece all the same. Undefined for a part that is no JSON. Throws a ProblemError where the answer
 * breaks off.
 */
export async function* readJsonParts(response: Response): AsyncGenerator<unknown, void, undefined> {
  const type = response.headers.get('content-type') ?? ''
  try {
    if (/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
      yield parsed(await response.text())
      return
    }
    for await (const line of readLines(bytesOf(response), longestLine)) yield parsed(line)
  } catch (error) {
    throw new ProblemError(
      problem(
        502,
        'answer-broke-off',
        'The answer broke off',
        error instanceof RangeError
          ? 'A line of the answer is too long to be a result.'
          : 'The connection broke before the answer was complete.',
      ),
      { cause: error },
    )
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Not every browser iterates over streams by itself. */
async function* bytesOf({ body }: Response): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // Does nothing at the end, and lets go of the connection before it; a broken one is gone.
    await reader.cancel().catch(() => undefined)
  }
}
