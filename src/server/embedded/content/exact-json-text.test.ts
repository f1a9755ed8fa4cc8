import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { parseExactJson } from '../../../protocol/exact-json.ts'
import { type ExactJson, exactJsonText } from './shapes.ts'

const { tree } = fc.letrec<{
  tree: ExactJson
  list: ExactJson[]
  members: Record<string, ExactJson>
}>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'binary' }),
    tie('list'),
    tie('members'),
  ),
  list: fc.array(tie('tree'), { maxLength: 4 }),
  members: fc.dictionary(fc.string(), tie('tree'), { maxKeys: 4 }),
}))

describe('the text of a JSON value', () => {
  test('is that of JSON.stringify where there is no bigint', () => {
    fc.assert(
      fc.property(tree, (value) => {
        expect(exactJsonText(value)).toBe(JSON.stringify(value))
      }),
    )
  })

  test('holds every digit of a bigint, which reads back exactly', () => {
    const limit = 2n ** 63n
    fc.assert(
      fc.property(fc.bigInt({ min: -limit, max: limit - 1n }), (id) => {
        const text = exactJsonText({ id, list: [id] })
        expect(text).toBe(`{"id":${id},"list":[${id}]}`)
        const { id: read } = z.looseObject({ id: z.coerce.string() }).parse(parseExactJson(text))
        expect(read).toBe(String(id))
      }),
    )
  })

  test('leaves out what is undefined', () => {
    expect(exactJsonText({ a: undefined, b: 1, c: undefined })).toBe('{"b":1}')
    expect(exactJsonText({ a: undefined })).toBe('{}')
  })
})
