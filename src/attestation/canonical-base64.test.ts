import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeCanonicalBase64 } from './canonical-base64.ts'

const nearlyBase64 = fc
  .array(fc.constantFrom('A', 'B', 'Q', 'g', '9', '+', '/', '-', '_', '=', ' ', '\n', '\0', 'é'), {
    maxLength: 12,
  })
  .map((all) => all.join(''))

test('it takes exactly what the standard encoding of some bytes is, and gives those bytes', () => {
  fc.assert(
    fc.property(nearlyBase64, (text) => {
      const bytes = Buffer.from(text, 'base64')
      const isCanonical = text !== '' && bytes.toString('base64') === text
      const decoded = decodeCanonicalBase64(text)
      expect(decoded === undefined).toBe(!isCanonical)
      if (decoded) expect([...decoded.bytes]).toEqual([...bytes])
    }),
    { numRuns: 5_000 },
  )
})

test('long bytes of every value come back, whichever piece of them is ASCII', () => {
  for (const length of [0x3fff, 0x4000, 0x4001, 0x9000]) {
    for (const odd of [0, 0x3fff, 0x4000, length - 1]) {
      const bytes = new Uint8Array(length).fill(65)
      bytes[Math.min(odd, length - 1)] = 0xe9
      const decoded = decodeCanonicalBase64(Buffer.from(bytes).toString('base64'))
      expect(decoded?.ascii).toBeUndefined()
      expect(Buffer.compare(decoded?.bytes ?? new Uint8Array(), bytes)).toBe(0)
    }
  }
})

test('what is ASCII comes as text too, control characters and all', () => {
  const text = Array.from({ length: 40_000 }, (_, at) => String.fromCharCode(at % 128)).join('')
  expect(decodeCanonicalBase64(btoa(text))?.ascii).toBe(text)
})
