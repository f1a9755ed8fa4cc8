import { expect, test } from 'vitest'
import { z } from 'zod'
import { readJsonParts } from './json-parts.ts'

/** An answer whose bytes come in pieces of this many. */
function answerOf(text: string, size: number, type = 'application/json'): Response {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= bytes.length) controller.close()
      else controller.enqueue(bytes.slice(at, at + size))
      at += size
    },
  })
  return new Response(body, { headers: { 'content-type': type } })
}

const nested = { lists: 'results', head: 'storeUri', values: 'evaluations', lacks: /^error/ }

async function partsOf(response: Response): Promise<readonly (readonly unknown[])[]> {
  const parts: (readonly unknown[])[] = []
  for await (const values of readJsonParts(response, nested)) parts.push(values)
  return parts
}

test('an array of many results comes as many short ones, in their order', async () => {
  const all = Array.from({ length: 5000 }, (_, index) => ({ index, text: 'é ] , { "' }))
  const parts = await partsOf(answerOf(JSON.stringify(all), 10_007))
  expect(parts.flat(2)).toEqual(all)
  const lengths = parts.flat().map((part) => (Array.isArray(part) ? part.length : -1))
  expect(Math.min(...lengths)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...lengths)).toBeLessThanOrEqual(150)
})

test('an array is one however it is cut, and a byte more or less is no part of it', async () => {
  const text = '\uFEFF [ "é", 1, [2], {"a": [3]}, "🙂" ]\n'
  for (const size of [1, 2, 3, 100]) {
    const parts = await partsOf(answerOf(text, size))
    expect(parts.flat(2)).toEqual(['é', 1, [2], { a: [3] }, '🙂'])
  }
  expect(await partsOf(answerOf('[ ]', 1))).toContainEqual([[]])
})

test('nested values come as many short lists, each with what is beside it', async () => {
  const many = Array.from({ length: 5000 }, (_, index) => index)
  const answer = {
    request: { sha256: 'ab' },
    results: [
      { storeUri: 'a', evaluations: many },
      { evaluations: [{ é: 1 }], storeUri: 'b' },
    ],
  }
  for (const size of [7, 100_000]) {
    const parts = await partsOf(answerOf(JSON.stringify(answer), size))
    const lists = parts.flat().flatMap((part) => readResults(part))
    expect(
      lists.filter(({ storeUri }) => storeUri === 'a').flatMap((list) => list.evaluations),
    ).toEqual(many)
    expect(Math.max(...lists.map(({ evaluations }) => evaluations.length))).toBeLessThanOrEqual(150)
    expect(lists.at(-1)).toEqual(answer.results[1])
    expect(parts.at(-1)).toEqual([{ ...answer, results: [] }])
  }
})

test('what came of nested values before the connection broke is reported first', async () => {
  const bytes = new TextEncoder().encode('{"results": [{"evaluations": [1, {"a": 2}, 3')
  let reads = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      reads += 1
      if (reads === 1) controller.enqueue(bytes)
      else controller.error(new TypeError('network error'))
    },
  })
  const parts: unknown[] = []
  const reading = async (): Promise<void> => {
    const response = new Response(body, { headers: { 'content-type': 'application/json' } })
    for await (const values of readJsonParts(response, nested)) parts.push(...values)
  }
  await expect(reading()).rejects.toThrow('The connection broke before the response was complete.')
  expect(parts).toEqual([{ results: [{ evaluations: [1, { a: 2 }] }] }])
})

test('invalid JSON is reported once for each element, and the others stay', async () => {
  const parts = await partsOf(answerOf('[1,nothing,2,,3', 4))
  expect(parts.flat().filter((part) => part === undefined)).toHaveLength(3)
  expect(parts.flat(2).filter((part) => part !== undefined)).toEqual([1, 2])
})

test('invalid JSON among nested values is reported once for each, and the others stay', async () => {
  const text = '{"results": [{"storeUri": "a", "evaluations": [1, nothing, 2, , 3]}], "b": no}'
  const parts = await partsOf(answerOf(text, 5))
  expect(parts.flat().filter((part) => part === undefined)).toHaveLength(3)
  expect(
    parts.flat().flatMap((part) => readResults(part).flatMap((list) => list.evaluations)),
  ).toEqual([1, 2, 3])
})

test('integers of an array that no number holds keep their last digit', async () => {
  const parts = await partsOf(answerOf('[{"id":9007199254740993},{"id":7}]', 9))
  expect(parts.flat(2)).toEqual([{ id: '9007199254740993' }, { id: 7 }])
})

test('objects on lines of their own are as many parts, though one JSON text was announced', async () => {
  const text = '\uFEFF{"a": 1}\r\n\n {"b": 9007199254740993}\n{"c": \n'
  for (const type of ['application/json', 'application/json ; charset=utf-8', 'application/x+json'])
    expect(await partsOf(answerOf(text, 4, type))).toEqual([
      [{ a: 1 }, { b: '9007199254740993' }, undefined],
    ])
})

test('an answer that is neither is one part', async () => {
  expect(await partsOf(answerOf('{"successes": [1, 2]}', 3))).toEqual([[{ successes: [1, 2] }]])
  expect(await partsOf(answerOf('', 3))).toEqual([[undefined]])
  expect(await partsOf(answerOf('1\n2', 1))).toEqual([[undefined]])
})

const Results = z.object({
  results: z.array(z.object({ storeUri: z.string(), evaluations: z.array(z.unknown()) })),
})

function readResults(part: unknown): z.infer<typeof Results>['results'] {
  return part === undefined ? [] : Results.parse(part).results
}
