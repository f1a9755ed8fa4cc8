import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isNarrowed,
  policyFilter,
  scanAddress,
  type ScanAddress,
  statuses,
  toggledLabel,
} from './scan-address.ts'

const word = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
const addresses: fc.Arbitrary<ScanAddress> = fc.record({
  statuses: fc.subarray([...statuses]),
  kinds: fc.uniqueArray(word, { maxLength: 3 }),
  labels: fc.array(fc.tuple(word, fc.string({ maxLength: 8 })), { maxLength: 3 }),
  text: fc.string({ maxLength: 20 }),
  policy: fc.string({ maxLength: 20 }),
  isWaived: fc.boolean(),
  by: fc.oneof(
    fc.constantFrom('status' as const, 'kind' as const, 'change' as const),
    word.map((name) => `label:${name}` as const),
  ),
  other: fc.option(
    fc.record({ version: word, sha256: word, repositoryUrl: fc.string({ maxLength: 9 }) }),
    { nil: undefined },
  ),
  asOf: fc.string({ maxLength: 12 }),
})

test('whatever is looked at, its link shows the same', () => {
  fc.assert(
    fc.property(addresses, (address) => {
      const search = scanAddress.write(address, new URLSearchParams())
      expect(scanAddress.read(new URLSearchParams(search.toString()))).toEqual(address)
    }),
  )
})

test('the artifact in the address is kept', () => {
  const search = scanAddress.write(
    scanAddress.read(new URLSearchParams('q=x')),
    new URLSearchParams('sha256=ab&q=y&repository=r'),
  )
  expect(search.toString()).toBe('sha256=ab&repository=r&q=x')
})

test.each([
  '',
  'status=failed',
  'label=',
  'label==x',
  'by=label:',
  'by=moon',
  'with=1',
  'waived=no',
])('an address with “%s” narrows nothing', (text) => {
  const address = scanAddress.read(new URLSearchParams(text))
  expect([isNarrowed(address), address.by, address.other]).toEqual([false, 'status', undefined])
})

test('two values of a label widen, and one chosen twice is chosen no more', () => {
  const none = scanAddress.read(new URLSearchParams())
  const high = toggledLabel(none, 'severity', 'high')
  const both = toggledLabel(high, 'severity', 'low')
  expect([...(policyFilter(both).labels.get('severity') ?? [])]).toEqual(['high', 'low'])
  expect(toggledLabel(high, 'severity', 'high')).toEqual(none)
})
