import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeCanonicalBase64, type FromBase64 } from './canonical-base64.ts'

const nearlyBase64 = fc
  .array(fc.constantFrom('A', 'B', 'Q', 'g', '9', '+', '/', '-', '_', '=', ' ', '\n', '\0', 'é'), {
    maxLength: 12,
  })
  .map((all) => all.join(''))

/** What ECMAScript 2026 says of it, for engines that do not have it: blanks are skipped. */
const asInTheStandard: FromBase64 = (text) => {
  const plain = text.replaceAll(/[\t\n\f\r ]/g, '')
  const bytes = Buffer.from(plain, 'base64')
  if (bytes.toString('base64') !== plain) throw new SyntaxError('not base64')
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
      { numRuns: 5_000 },
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
