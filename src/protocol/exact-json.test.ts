import { existsSync, readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseExactJson, quoteLongIntegers } from './exact-json.ts'
import { realData } from '../real-data.test-support.ts'

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

/** The same by a regular expression that takes each string whole: slow, and easy to see through. */
function readSlowly(json: string): unknown {
  const quoted = json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]{15,}/g, (token) =>
    /^-?\d+$/.test(token) ? `"${token}"` : token,
  )
  return JSON.parse(quoted)
}

test.each([
  ['with zeros before it', '0000000000000000001'],
  ['with zeros and a sign before it', '-0000000000000000001'],
  ['as a name', '{1234567890123456789: 1}'],
  ['as a name, with blanks behind it', '{"a": 1, -1234567890123456789 \n\t:1}'],
])('a long integer %s is no JSON, and quotes do not make it so', (_, text) => {
  expect(() => parseExactJson(text)).toThrow(SyntaxError)
  expect(quoteLongIntegers(text)).toBe(text)
})

describe('long integers', () => {
  test.each([
    ['-7978837427190732235', '"-7978837427190732235"'],
    ['[1234567890123456,1]', '["1234567890123456",1]'],
    ['123456789012345', '123456789012345'],
    ['{"id":9007199254740993}', '{"id":"9007199254740993"}'],
    ['{"id" : 9007199254740993 }', '{"id" : "9007199254740993" }'],
    ['"9007199254740993"', '"9007199254740993"'],
    [
      String.raw`{"a\"b":"\\","c":9007199254740993}`,
      String.raw`{"a\"b":"\\","c":"9007199254740993"}`,
    ],
    ['0.9007199254740993', '0.9007199254740993'],
    ['-1.5e9007199254740993', '-1.5e9007199254740993'],
    ['1e-9007199254740993', '1e-9007199254740993'],
    ['9007199254740993.5', '9007199254740993.5'],
    ['9007199254740993e2', '9007199254740993e2'],
    ['', ''],
    ['"cut off 9007199254740993', '"cut off 9007199254740993'],
  ])('%s becomes %s', (text, quoted) => {
    expect(quoteLongIntegers(text)).toBe(quoted)
  })

  test('mean the same to JSON.parse as the slow way to read them', () => {
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }).map((big) => `@${big}@`),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constant('digits 12345678901234567890 and "quotes\\'),
        fc.array(tie('tree')),
        fc.dictionary(fc.string(), tie('tree')),
      ),
    }))
    fc.assert(
      fc.property(tree, fc.boolean(), (value, spaced) => {
        const json = JSON.stringify(value, null, spaced ? 1 : 0).replace(/"@(-?\d+)@"/g, '$1')
        expect(JSON.parse(quoteLongIntegers(json))).toEqual(readSlowly(json))
      }),
    )
  })
})

const recordings = realData('recordings/')

describe.skipIf(!existsSync(recordings))('the events of real recordings', () => {
  test('are read the same both ways', () => {
    for (const name of readdirSync(recordings)) {
      for (const line of readFileSync(new URL(name, recordings), 'utf8').trim().split('\n')) {
        expect(JSON.parse(quoteLongIntegers(line))).toEqual(readSlowly(line))
      }
    }
  })
})
