import { parseExactJson } from '../../protocol/exact-json.ts'
import { readLineBatches } from '../../protocol/ndjson.ts'
import { problem, ProblemError } from '../../protocol/problem.ts'
import { createArraySplitter } from './json-parts-array.ts'

/** The longest line that is read, in characters: one result, which may list many addresses. */
const longestLine = 4 * 1024 * 1024

/** One piece of a stream may be thousands of lines: more than a page should read in one go. */
const mostAtOnce = 150

/** No result is nested so deeply. */
const deepestLook = 50

/**
 * The values of an answer as they arrive, a few hundred together at most: lines of NDJSON, or the
 * whole of a service that answers in one go all the same. An array comes as several shorter ones, as
 * fifty thousand results at once would keep the page from drawing. Undefined for a part that is no
 * JSON. Throws a ProblemError where the answer breaks off.
 */
export async function* readJsonParts(
  response: Response,
): AsyncGenerator<readonly unknown[], void, undefined> {
  const type = response.headers.get('content-type') ?? ''
  try {
    if (/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
      yield* readWhole(response)
      return
    }
    for await (const lines of readLineBatches(bytesOf(response), longestLine)) {
      for (let from = 0; from < lines.length; from += mostAtOnce) {
        yield lines.slice(from, from + mostAtOnce).map(parsed)
      }
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

async function* readWhole(response: Response): AsyncGenerator<readonly unknown[], void, undefined> {
  const splitter = createArraySplitter()
  const decoder = new TextDecoder()
  for await (const bytes of bytesOf(response)) {
    yield* arraysOf(splitter.push(decoder.decode(bytes, { stream: true })))
  }
  yield* arraysOf(splitter.push(decoder.decode()))
  const end = splitter.end()
  if (end.is === 'other') yield [parsed(end.text)]
  if (end.is === 'broken') yield [undefined]
  if (end.is === 'array' && end.elements === 0) yield [[]]
}

/** The elements that could be read as an array, those that could not as parts of their own. */
function* arraysOf(elements: readonly string[]): Generator<readonly unknown[], void, undefined> {
  for (let from = 0; from < elements.length; from += mostAtOnce) {
    const values = elements.slice(from, from + mostAtOnce).map(parsed)
    const read = values.filter((value) => value !== undefined)
    yield read.length === values.length
      ? [values]
      : [read, ...Array.from({ length: values.length - read.length }, () => undefined)]
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
