import {
  createJsonSplitter,
  isJsonType,
  type JsonElement,
  jsonTexts,
  type NestedValues,
  readJsonValue,
} from '../../../protocol/json-splitter.ts'
import { brokeOffProblem, chunksOf, readLineBatches } from '../../../protocol/ndjson.ts'
import { ProblemError } from '../../../protocol/problem.ts'

/** The longest line that is read, in characters: one result, which may list many addresses. */
const longestLine = 4 * 1024 * 1024

/** One piece of a stream may be thousands of lines: more than a page should read in one go. */
const mostAtOnce = 150

/**
 * The values of an answer as they arrive, a few hundred together at most: lines of NDJSON, or the
 * whole of a service that answers in one go all the same. An array comes as several shorter ones, as
 * fifty thousand results at once would keep the page from drawing; so does an object with `nested`
 * values, of which the last one has all that is not among them. Undefined for a part that is no JSON.
 * Throws a ProblemError where the answer breaks off.
 */
export async function* readJsonParts(
  response: Response,
  nested?: NestedValues,
): AsyncGenerator<readonly unknown[], void, undefined> {
  const type = response.headers.get('content-type') ?? ''
  try {
    if (isJsonType(type)) {
      yield* readWhole(response, nested)
      return
    }
    for await (const lines of readLineBatches(chunksOf(response.body), longestLine)) {
      for (let from = 0; from < lines.length; from += mostAtOnce) {
        yield lines.slice(from, from + mostAtOnce).map(readJsonValue)
      }
    }
  } catch (error) {
    throw new ProblemError(brokeOffProblem(error instanceof RangeError), { cause: error })
  }
}

async function* readWhole(
  response: Response,
  nested: NestedValues | undefined,
): AsyncGenerator<readonly unknown[], void, undefined> {
  const splitter = createJsonSplitter(nested)
  const decoder = new TextDecoder()
  try {
    for await (const bytes of chunksOf(response.body)) {
      yield* documentsOf(splitter.push(decoder.decode(bytes, { stream: true })))
    }
    yield* documentsOf(splitter.push(decoder.decode()))
  } catch (error) {
    yield* documentsOf(splitter.end().elements)
    throw error
  }
  const { elements, was } = splitter.end()
  yield* documentsOf(elements)
  if (was.is === 'split') yield was.rest
  else yield was.is === 'other' ? jsonTexts(was.text).map(readJsonValue) : [undefined]
}

/** Elements as short documents of the kind that they came in; unreadable ones as parts of their own. */
function* documentsOf(elements: readonly JsonElement[]): Generator<readonly unknown[]> {
  for (let from = 0; from < elements.length; from += mostAtOnce) {
    const together = new Map<JsonElement['within'], unknown[]>()
    const unreadable: undefined[] = []
    for (const { text, within } of elements.slice(from, from + mostAtOnce)) {
      const value = readJsonValue(text)
      const values = together.get(within) ?? []
      together.set(within, values)
      if (value === undefined) unreadable.push(undefined)
      else values.push(value)
    }
    yield [...Array.from(together, ([within, values]) => within(values)), ...unreadable]
  }
}
