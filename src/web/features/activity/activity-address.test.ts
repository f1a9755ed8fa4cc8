import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type ActivityAddress,
  readActivityAddress,
  verdicts,
  writeActivityAddress,
} from './activity-address.ts'

const words = fc.string({ maxLength: 12, unit: 'grapheme' }).map((text) => text.trim())
const addresses: fc.Arbitrary<ActivityAddress> = fc.record({
  show: fc.constantFrom('evaluations' as const, 'actions' as const),
  package: words,
  scan: words,
  by: words,
  verdict: fc.constantFrom('' as const, ...verdicts),
})

test('whatever is looked at, its link shows the same', () => {
  fc.assert(
    fc.property(addresses, (address) => {
      const written = writeActivityAddress(address).toString()
      expect(readActivityAddress(new URLSearchParams(written))).toEqual(address)
    }),
  )
})

test('words that mean nothing here narrow nothing', () => {
  const read = readActivityAddress(new URLSearchParams('show=moon&verdict=good'))
  expect(writeActivityAddress(read).toString()).toBe('')
})
