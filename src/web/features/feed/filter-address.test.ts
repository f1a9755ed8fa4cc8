import fc from 'fast-check'
import { expect, test } from 'vitest'
import { facets, type Filter } from './facets.ts'
import { filterFromAddress, filterToAddress } from './filter-address.ts'

function read(search: string): Filter {
  return filterFromAddress(new URLSearchParams(search))
}

test('a filter is written as a person would', () => {
  const search = filterToAddress({ outcome: ['failed'], tool: ['gradle'] }, new URLSearchParams())
  expect(search.toString()).toBe('tool=gradle&outcome=failed')
})

test('values repeat, empty and doubled ones are no values', () => {
  expect(read('tool=gradle&tool=maven&tool=gradle&user=')).toEqual({ tool: ['gradle', 'maven'] })
})

test('what is not of the filter stays in the address', () => {
  const before = new URLSearchParams('build=abc&tool=npm')
  expect(filterToAddress({ tag: ['CI'] }, before).toString()).toBe('build=abc&tag=CI')
  expect(read('build=abc')).toEqual({})
})

test('every filter survives its address', () => {
  const values = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 })
  const filters = fc.record(Object.fromEntries(facets.map((facet) => [facet, values])), {
    requiredKeys: [],
  })
  fc.assert(
    fc.property(filters, (filter) => {
      const address = filterToAddress(filter, new URLSearchParams('build=abc')).toString()
      expect(read(address)).toEqual(filter)
    }),
  )
})
