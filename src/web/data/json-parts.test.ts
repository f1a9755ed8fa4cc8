import { expect, test } from 'vitest'
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

async function partsOf(response: Response): Promise<readonly (readonly unknown[])[]> {
  const parts: (readonly unknown[])[] = []
  for await (const values of readJsonParts(response)) parts.push(values)
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

test('what is no JSON is told once for each element, the others stay', async () => {
  const parts = await partsOf(answerOf('[1,nothing,2,,3', 4))
  expect(parts.flat().filter((part) => part === undefined)).toHaveLength(3)
  expect(parts.flat(2).filter((part) => part !== undefined)).toEqual([1, 2])
})

test('integers of an array that no number holds keep their last digit', async () => {
  const parts = await partsOf(answerOf('[{"id":9007199254740993},{"id":7}]', 9))
  expect(parts.flat(2)).toEqual([{ id: '9007199254740993' }, { id: 7 }])
})

test('an answer that is no array is one part', async () => {
  expect(await partsOf(answerOf('{"results": [1, 2]}', 3))).toEqual([[{ results: [1, 2] }]])
  expect(await partsOf(answerOf('', 3))).toEqual([[undefined]])
  expect(await partsOf(answerOf('1\n2', 1))).toEqual([[undefined]])
})
