import fc from 'fast-check'
import { expect, test } from 'vitest'
import { actorKinds, auditActionNames, auditOutcomes } from '../../../protocol/audit-log.ts'
import {
  activityAddress,
  type ActivityAddress,
  auditFilter,
  readPackageFilter,
  verdicts,
} from './activity-address.ts'

const words = fc.string({ maxLength: 12, unit: 'grapheme' }).map((text) => text.trim())
const addresses: fc.Arbitrary<ActivityAddress> = fc.record({
  show: fc.constantFrom('evaluations', 'actions', 'alerts', 'audit'),
  package: words,
  scan: words,
  by: words,
  verdict: fc.constantFrom('', ...verdicts),
  isUndelivered: fc.boolean(),
  kind: fc.constantFrom('', ...actorKinds),
  action: fc.constantFrom('', ...auditActionNames),
  outcome: fc.constantFrom('', ...auditOutcomes),
  subject: words,
  from: fc.constantFrom('', '2026-03-01'),
  until: fc.constantFrom('', '2026-12-31'),
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
  const read = activityAddress.read(
    new URLSearchParams('show=moon&verdict=good&kind=x&from=soon&until=2026-13-45'),
  )
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

test('the days of the audit log are both included, and a package may be named as people do', () => {
  const search = 'from=2026-03-01&until=2026-03-01&subject=pkg:oci/checkout@2.4.0&action=evaluated'
  expect(auditFilter(activityAddress.read(new URLSearchParams(search)))).toMatchObject({
    from: Date.UTC(2026, 2, 1),
    until: Date.UTC(2026, 2, 2),
    subject: '/packages/oci/checkout/2.4.0',
    action: 'evaluated',
  })
  const other = activityAddress.read(new URLSearchParams('subject=GET /tokens'))
  expect(auditFilter(other)).toMatchObject({ subject: 'GET /tokens', from: undefined })
})

test('a day that no month has narrows nothing', () => {
  const read = activityAddress.read(new URLSearchParams('from=2026-02-31&until=2026-02-28'))
  expect([read.from, read.until]).toEqual(['', '2026-02-28'])
})
