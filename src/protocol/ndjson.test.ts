import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chunksOf, ndjsonLine, readLines } from './ndjson.ts'

async function* partsOf(all: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < all.length; start += size) {
    yield await Promise.resolve(all.subarray(start, start + size))
  }
}

async function linesOf(text: string, size: number, limit?: number): Promise<string[]> {
  const lines: string[] = []
  for await (const line of readLines(partsOf(new TextEncoder().encode(text), size), limit)) {
    lines.push(line)
  }
  return lines
}

test('what was written as lines is read back, wherever the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.jsonValue()), { maxLength: 10 }),
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom('\n', '\r\n'),
      async (values, size, lineEnd) => {
        const text = values.map((value) => ndjsonLine(value).replace('\n', lineEnd)).join('')
        const lines = await linesOf(text, size)
        expect(lines).toEqual(values.map((value) => JSON.stringify(value)))
      },
    ),
  )
})

test('the last line needs no line break, and empty lines are skipped', async () => {
  expect(await linesOf('1\n\n\r\n2', 3)).toEqual(['1', '2'])
})

test('a line past the limit is refused before it is whole', async () => {
  await expect(linesOf('x'.repeat(50), 7, 20)).rejects.toThrow(RangeError)
})

test('the chunks of a stream come one by one, and who leaves early cancels it', async () => {
  let cancelled = false
  const stream = (): ReadableStream<number> =>
    new ReadableStream({
      start: (controller) => {
        for (const one of [1, 2, 3]) controller.enqueue(one)
        controller.close()
      },
    })
  const given: number[] = []
  let times = 0
  for await (const one of chunksOf(stream(), () => (times += 1))) given.push(one)
  expect([given, times]).toEqual([[1, 2, 3], 3])
  for await (const one of chunksOf<number>(null)) given.push(one)
  expect(given).toHaveLength(3)

  const endless = new ReadableStream<number>({
    pull: (controller) => {
      controller.enqueue(1)
    },
    cancel: () => {
      cancelled = true
    },
  })
  for await (const one of chunksOf(endless)) if (one === 1) break
  expect(cancelled).toBe(true)

  const broken = new ReadableStream<number>({
    pull: () => {
      throw new Error('cut')
    },
  })
  await expect(chunksOf(broken).next()).rejects.toThrow('cut')
})
