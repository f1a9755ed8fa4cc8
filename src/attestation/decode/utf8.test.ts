import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../property-runs.test-support.ts'
import { decodeUtf8 } from './utf8.ts'

const isValid = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Where the first sequence begins that is wrong: what is before it is valid, and no longer part is. */
function plainOffset(bytes: Uint8Array): number {
  let valid = 0
  for (let to = 1; to <= bytes.length; to++) if (isValid(bytes.subarray(0, to))) valid = to
  return valid
}

test.each([
  ['é', [0xc3, 0x28]],
  ['€', [0xe2, 0x82, 0x28]],
  ['🚀', [0xf0, 0x9f, 0x9a, 0x28]],
  ['an overlong /', [0xc0, 0xaf]],
  ['an overlong / of three bytes', [0xe0, 0x80, 0xaf]],
  ['an overlong / of four bytes', [0xf0, 0x80, 0x80, 0xaf]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['what is past the last character', [0xf4, 0x90, 0x80, 0x80]],
  ['a lead that there is none of', [0xf5, 0x80, 0x80, 0x80]],
  ['a lone tail', [0x80]],
])('%s that is wrong is refused where it begins', (_, wrong) => {
  const before = new TextEncoder().encode('aé€🚀\u{10ffff}\ud7ff\ue000')
  expect(decodeUtf8(Uint8Array.from([...before, ...wrong]))).toEqual({
    ok: false,
    offset: before.length,
  })
  // A sequence that ends with the bytes is cut.
  expect(decodeUtf8(Uint8Array.from([...before, ...wrong.slice(0, 1)]))).toEqual({
    ok: false,
    offset: before.length,
  })
})

test('texts with any byte changed are refused exactly where the decoder of the platform refuses them', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(text, fc.nat(), fc.nat(255), (chosen, place, byte) => {
      const bytes = new TextEncoder().encode(chosen)
      bytes[place % bytes.length] = byte
      const decoded = decodeUtf8(bytes)
      expect(decoded.ok).toBe(isValid(bytes))
      if (!decoded.ok) expect(decoded.offset).toBe(plainOffset(bytes))
    }),
    { numRuns: runs(300) },
  )
})
