import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changes } from '../../../facts/comparison.ts'
import { executionOutcomes } from '../../../facts/execution.ts'
import { caseOutcomes } from '../../../facts/test-cases.ts'
import { type BuildAddress, buildAddress, cacheKinds, scopes, tabs } from './build-address.ts'

const addresses: fc.Arbitrary<BuildAddress> = fc.record({
  tab: fc.option(fc.constantFrom(...tabs), { nil: undefined }),
  order: fc.constantFrom('outcome' as const, 'start' as const, 'duration' as const),
  scope: fc.constantFrom(...scopes),
  search: fc.string(),
  outcomes: fc.subarray([...executionOutcomes]),
  cache: fc.subarray([...cacheKinds]),
  zoom: fc.option(
    fc.record({ from: fc.nat(1e9), to: fc.nat(1e9) }).filter(({ from, to }) => from < to),
    { nil: undefined },
  ),
  cases: fc.subarray([...caseOutcomes]),
  row: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  eventTypes: fc.uniqueArray(fc.stringMatching(/^\w{1,20}$/)),
  compare: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  changes: fc.subarray([...changes]),
  tile: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  branch: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
})

test('what is written into an address is read from it, and all else stays', () => {
  fc.assert(
    fc.property(addresses, (wanted) => {
      const written = buildAddress.write(wanted, new URLSearchParams('tab=tests&other=1'))
      expect(buildAddress.read(new URLSearchParams(written.toString()))).toEqual(wanted)
      expect(written.get('other')).toBe('1')
    }),
  )
})

test('a plain address stays plain', () => {
  const nothing = new URLSearchParams()
  expect(buildAddress.write(buildAddress.read(nothing), nothing).toString()).toBe('')
})

test('nonsense in an address is as if it were not there', () => {
  const nonsense = 'tab=x&order=y&scope=&outcome=great&cache=1&zoom=9-3&case=&type=a%20b&change=?'
  expect(buildAddress.read(new URLSearchParams(nonsense))).toEqual(
    buildAddress.read(new URLSearchParams()),
  )
})
