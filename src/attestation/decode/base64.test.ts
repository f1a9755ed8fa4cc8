import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../property-runs.test-support.ts'
import { decodeBase64, decodeCanonicalBase64, type FromBase64 } from './base64.ts'

const textOf = (base64: string) => {
  const decoded = decodeBase64(base64)
  return decoded.ok ? Buffer.from(decoded.bytes).toString('latin1') : decoded
}
const quirksOf = (base64: string) => {
  const decoded = decodeBase64(base64)
  return decoded.ok ? decoded.quirks : decoded
}

const characters = fc.constantFrom(...'AQ9+/-_=é😀 \n\u0000`'.split(/(?:)/u))

describe('decodeBase64', () => {
  test('gives back whatever Buffer encoded, in both alphabets, padded or not', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const buffer = Buffer.from(bytes)
        const standard = buffer.toString('base64')
        for (const text of [standard, buffer.toString('base64url'), standard.replace(/=+$/, '')]) {
          const decoded = decodeBase64(text)
          expect(decoded.ok && Buffer.from(decoded.bytes).equals(buffer)).toBe(true)
        }
      }),
    )
  })

  test('never throws, and points within the text it refuses', () => {
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 20 }), (parts) => {
        const text = parts.join('')
        const decoded = decodeBase64(text)
        if (!decoded.ok) expect(decoded.offset).toBeLessThanOrEqual(text.length)
        else expect(decoded.bytes.length).toBeLessThanOrEqual((text.length * 3) / 4)
      }),
    )
  })

  test.each([
    ['', []],
    ['aGVsbG8=', []],
    ['-_-_', ['url-alphabet']],
    ['+_-/', ['mixed-alphabets']],
    ['aGVsbG8', ['missing-padding']],
    ['aGVs\r\nbG8=\n', ['whitespace']],
    ['aGVsbG9=', ['trailing-bits']],
    ['aGVsbH==', ['trailing-bits']],
    ['aGVsbA=', ['missing-padding']],
  ])('accepts %j and names its quirks %j', (text, quirks) => {
    expect(quirksOf(text)).toEqual(quirks)
  })

  test.each([
    ['aGVs*G8=', 4],
    ['aGVsbG8é', 7],
    ['aGVs😀', 4],
    ['`x`', 0],
    ['aGVsbG8==', 8],
    ['aGVs=', 4],
    ['aG=VsbG8', 3],
    ['=aGVs', 0],
    ['aGVsb', 5],
    ['====', 0],
  ])('refuses %j at its character %d', (text, offset) => {
    expect(decodeBase64(text)).toMatchObject({ ok: false, offset })
  })

  test.each([
    ['!', '"!"'],
    ['~', '"~"'],
    ['\u007f', 'U+007F'],
    ['\0', 'U+0000'],
    ['\u00a0', 'U+00A0'],
    ['😀', 'U+1F600'],
  ])('names %j, which it refuses, as it can be seen', (text, name) => {
    expect(decodeBase64(text)).toMatchObject({
      ok: false,
      problem: `the character ${name} isn't in either base64 alphabet`,
    })
  })

  test('reads the same value in either alphabet', () => {
    expect(textOf('+/+/')).toBe(textOf('-_-_'))
  })
})

const nearlyBase64 = fc
  .array(fc.constantFrom('A', 'B', 'Q', 'g', '9', '+', '/', '-', '_', '=', ' ', '\n', '\0', 'é'), {
    maxLength: 12,
  })
  .map((all) => all.join(''))

/** What ECMAScript 2026 says of it, for engines that do not have it: blanks are skipped. */
const asInTheStandard: FromBase64 = (text) => {
  const plain = text.replaceAll(/[\t\n\f\r ]/g, '')
  const bytes = Buffer.from(plain, 'base64')
  if (bytes.toString('base64') !== plain) throw new SyntaxError("isn't base64.")
  return Uint8Array.from(bytes)
}

// By the engine alone: its own `fromBase64`, or `atob` where it has none.
describe.each([
  ['the engine', decodeCanonicalBase64],
  ['the standard', (text: string) => decodeCanonicalBase64(text, asInTheStandard)],
])('%s', (_, decode) => {
  test('it takes exactly what the standard encoding of some bytes is, and gives those bytes', () => {
    fc.assert(
      fc.property(nearlyBase64, (text) => {
        const bytes = Buffer.from(text, 'base64')
        const isCanonical = text !== '' && bytes.toString('base64') === text
        const decoded = decode(text)
        expect(decoded === undefined).toBe(!isCanonical)
        if (decoded) expect([...decoded]).toEqual([...bytes])
      }),
      { numRuns: runs(5_000) },
    )
  })

  test('long bytes of every value come back, whichever piece of them is ASCII', () => {
    for (const length of [0x3fff, 0x4000, 0x4001, 0x9000]) {
      for (const odd of [0, 0x3fff, 0x4000, length - 1]) {
        const bytes = new Uint8Array(length).fill(65)
        bytes[Math.min(odd, length - 1)] = 0xe9
        const decoded = decode(Buffer.from(bytes).toString('base64'))
        expect(Buffer.compare(decoded ?? new Uint8Array(), bytes)).toBe(0)
      }
    }
  })
})
