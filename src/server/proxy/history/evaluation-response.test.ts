import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readJsonValues } from './evaluation-response.ts'

async function valuesOf(
  text: string,
  cuts: readonly number[] = [],
  longest = 1e6,
): Promise<string[]> {
  const bytes = new TextEncoder().encode(text)
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  async function* pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    let from = 0
    for (const to of [...places, bytes.length]) {
      yield bytes.slice(from, to)
      from = to
      await Promise.resolve()
    }
  }
  const values: string[] = []
  for await (const { text: value } of readJsonValues(pieces(), longest)) values.push(value)
  return values
}

test.each<[string, string[]]>([
  ['', ['']],
  [' \n ', ['']],
  ['[]', []],
  [' [ ] \n', []],
  ['[1]', ['1']],
  ['[{"a":[1,{"b":"],[}"}]}, "x,y" ,\n null]', ['{"a":[1,{"b":"],[}"}]}', '"x,y"', 'null']],
  ['["\\"", "\\\\", "a\\\\\\"b"]', ['"\\""', '"\\\\"', '"a\\\\\\"b"']],
  ['{"a":1}', ['{"a":1}']],
  ['{"a":1}\n{"b":[2,3]}\n', ['{"a":1}', '{"b":[2,3]}']],
  ['[1]\n{"a":2}', ['1', '']],
  ['nothing', ['nothing']],
])('%j holds its values', async (text, values) => {
  expect(await valuesOf(text)).toEqual(values)
})

test.each([
  '[1',
  '[1,',
  '[',
  '[{"a":1}',
  '[{"a":1},',
  '[1,]',
  '[,1]',
  '[1,,2]',
  '["a',
  '{"a":',
  '[1}',
])('%j gives a text that is no JSON, so that nobody takes it for whole', async (text) => {
  const values = await valuesOf(text)
  const bad = values.filter((value) => {
    try {
      JSON.parse(value)
      return false
    } catch {
      return true
    }
  })
  expect(bad.length).toBeGreaterThan(0)
})

test('an array gives its elements, wherever its bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue()),
      fc.array(fc.nat(), { maxLength: 6 }),
      fc.constantFrom(0, 2),
      async (elements, cuts, indent) => {
        const values = await valuesOf(JSON.stringify(elements, null, indent), cuts)
        expect(values.map((value): unknown => JSON.parse(value))).toEqual(
          JSON.parse(JSON.stringify(elements)),
        )
      },
    ),
  )
})

test('a value without an end is given up in time', async () => {
  await expect(valuesOf(`["${'a'.repeat(200)}`, [50, 100], 99)).rejects.toThrow(RangeError)
  expect(await valuesOf(`["${'a'.repeat(60)}","${'b'.repeat(60)}"]`, [50, 100], 99)).toHaveLength(2)
})
