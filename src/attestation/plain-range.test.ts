import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPlainRange } from './plain-range.ts'

test('finds control characters and backslashes wherever they stand, and nothing else', () => {
  const code = fc.oneof({ weight: 30, arbitrary: fc.integer({ min: 32, max: 127 }) }, fc.nat(127))
  fc.assert(
    fc.property(fc.array(code, { maxLength: 40 }), fc.nat(8), fc.nat(8), (all, cut, shift) => {
      const padded = Uint8Array.from([...Array.from({ length: shift }, () => 0), ...all])
      const codes = padded.subarray(shift)
      const range = all.slice(cut)
      const isPlain = range.every((one) => one >= 32 && one !== 0x5c)
      expect(isPlainRange(codes, Math.min(cut, all.length), all.length)).toBe(isPlain)
    }),
    { numRuns: 2_000 },
  )
})
