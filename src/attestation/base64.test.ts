import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeBase64 } from './base64.ts'

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

  test('reads the same value in either alphabet', () => {
    expect(textOf('+/+/')).toBe(textOf('-_-_'))
  })
})
