import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseExactJson } from './exact-json.ts'

test('equals JSON.parse for every value without long integers', () => {
  fc.assert(
    fc.property(
      fc
        .json({ depthSize: 'medium' })
        .filter((text) => !/\d{16}/.test(text.replace(/"(?:[^"\\]|\\.)*"/g, ''))),
      (text) => {
        expect(parseExactJson(text)).toEqual(JSON.parse(text))
      },
    ),
  )
})

test('keeps every 64-bit integer as its own text', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (id) => {
      const text = String(id)
      const long = text.replace('-', '').length >= 16
      expect(parseExactJson(`{"id":${text}, "ids":[ ${text},1]}`)).toEqual({
        id: long ? text : Number(text),
        ids: [long ? text : Number(text), 1],
      })
    }),
  )
})

test.each([
  ['{"a":"12345678901234567890"}', { a: '12345678901234567890' }],
  ['{"a \\" 1234567890123456789":1}', { 'a " 1234567890123456789': 1 }],
  ['{"1234567890123456789":2}', { '1234567890123456789': 2 }],
  ['[0.12345678901234567890]', [0.12345678901234568]],
  ['[1000000000000000000.0, 1e30, 10000000000000000e3]', [1e18, 1e30, 1e19]],
  ['"\\\\1234567890123456789"', '\\1234567890123456789'],
])('reads %s', (text, value) => {
  expect(parseExactJson(text)).toEqual(value)
})

test('throws like JSON.parse on what is no JSON', () => {
  expect(() => parseExactJson('{"a":12345678901234567890')).toThrow(SyntaxError)
})
