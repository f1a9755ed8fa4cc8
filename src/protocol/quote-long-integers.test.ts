import fc from 'fast-check'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { quoteLongIntegers } from './quote-long-integers.ts'

/** The same by a regular expression that takes each string whole: slow, and easy to see through. */
function readSlowly(json: string): unknown {
  const quoted = json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]{15,}/g, (token) =>
    /^-?\d+$/.test(token) ? `"${token}"` : token,
  )
  return JSON.parse(quoted)
}

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

const recordings = new URL('../../../shared/data/recordings/', import.meta.url)

describe.skipIf(!existsSync(recordings))('the events of real recordings', () => {
  test('are read the same both ways', () => {
    for (const name of readdirSync(recordings)) {
      for (const line of readFileSync(new URL(name, recordings), 'utf8').trim().split('\n')) {
        expect(JSON.parse(quoteLongIntegers(line))).toEqual(readSlowly(line))
      }
    }
  })
})
