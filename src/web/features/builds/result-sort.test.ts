import { expect, test } from 'vitest'
import { searchAtRest } from '../../data/builds/build-search.ts'
import { sortAddress, sortText } from './result-sort.tsx'

test.each([
  ['sort=-duration', { column: 'duration', isDescending: true }],
  ['sort=project', { column: 'project', isDescending: false }],
  ['sort=-value%3AGit+branch', { column: 'value:Git branch', isDescending: true }],
])('%s is an order, there and back', (address, sort) => {
  expect(sortAddress.read(new URLSearchParams(address)).sort).toEqual(sort)
  expect(sortAddress.write({ sort }).toString()).toBe(address)
})

test('an order that makes no sense is none', () => {
  expect(sortAddress.read(new URLSearchParams('sort=-moon')).sort).toBeUndefined()
  expect(sortAddress.write({ sort: undefined }).toString()).toBe('')
})

test('it is said among how many builds the order is', () => {
  const rest = searchAtRest(100)
  const sort = { column: 'duration', isDescending: true }
  expect(sortText(sort, { ...rest, state: { is: 'resting' } })).toBe(
    'Sorted by duration, longest first, among the 0 loaded.',
  )
  expect(
    sortText({ column: 'project', isDescending: false }, { ...rest, state: { is: 'done' } }),
  ).toBe('Sorted by project, A first.')
})
