import { parseExactJson } from '../../protocol/exact-json.ts'
import { readLineBatches } from '../../protocol/ndjson.ts'
import { problem, ProblemError } from '../../protocol/problem.ts'

/** The longest line that is read, in characters: one result, which may list many addresses. */
const longestLine = 4 * 1024 * 1024

/** No result is nested so deeply. */
const deepestLook = 50

/**
 * The values of an answer as they arrive, those of one piece of the stream together: lines of NDJSON,
 * or the whole of a service that answers in one go all the same. Undefined for a part that is no JSON.
 * Throws a ProblemError where the answer breaks off.
 */
export async function* readJsonParts(
  response: Response,
): AsyncGenerator<readonly unknown[], void, undefined> {
  const type = response.headers.get('content-type') ?? ''
  try {
    if (/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
      yield [parsed(await response.text())]
      return
    }
    for await (const lines of readLineBatches(bytesOf(response), longestLine)) {
      yield lines.map(parsed)
    }
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
    const value: unknown = JSON.parse(text)
    return isRounded(value, 0) ? parseExactJson(text) : value
  } catch {
    return undefined
  }
}

/**
 * Whether an integer may have lost digits: few answers have one, and to look at each number is much
 * faster than to read all as texts. What is nested too deeply to look through is taken for one.
 */
function isRounded(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value)
  if (typeof value !== 'object' || value === null) return false
  if (depth === deepestLook) return true
  for (const part of Object.values(value)) if (isRounded(part, depth + 1)) return true
  return false
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
