import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  activityAddress,
  type ActivityAddress,
  readPackageFilter,
  verdicts,
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
      const written = activityAddress.write(address).toString()
      expect(activityAddress.read(new URLSearchParams(written))).toEqual(address)
    }),
  )
})

test('words that mean nothing here narrow nothing', () => {
  const read = activityAddress.read(new URLSearchParams('show=moon&verdict=good'))
  expect(activityAddress.write(read).toString()).toBe('')
})

test.each([
  ['', ''],
  ['pkg:oci/checkout@2.4.0', '/packages/oci/checkout/2.4.0'],
  ['pkg:oci/checkout', '/packages/oci/checkout/*'],
  ['pkg:maven/org.acme/shop', '/packages/maven/org.acme/shop/*'],
  ['org.acme:shop:1.2', '/packages/maven/org.acme/shop/1.2'],
  ['/packages/oci/checkout/2.4.0', '/packages/oci/checkout/2.4.0'],
])('“%s” is %s', (text, path) => {
  expect(readPackageFilter(text)).toEqual({ ok: true, path })
})

test('what names no package is said so', () => {
  expect(readPackageFilter('two words')).toMatchObject({ ok: false })
})
