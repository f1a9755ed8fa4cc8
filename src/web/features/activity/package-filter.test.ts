import { expect, test } from 'vitest'
import { readPackageFilter } from './package-filter.ts'

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
