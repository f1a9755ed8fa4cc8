import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ndjsonLine, readLines } from './ndjson.ts'

async function* chunksOf(all: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < all.length; start += size) {
    yield await Promise.resolve(all.subarray(start, start + size))
  }
}

async function linesOf(text: string, size: number, limit?: number): Promise<string[]> {
  const lines: string[] = []
  for await (const line of readLines(chunksOf(new TextEncoder().encode(text), size), limit)) {
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
