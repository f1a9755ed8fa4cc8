import { expect, test } from 'vitest'
import { toggledRows } from './row-selection.tsx'

const order = ['a', 'b', 'c', 'd', 'e']

test.each([
  ['', 'c', undefined, 'c'],
  ['c', 'c', undefined, ''],
  ['b', 'd', 'b', 'bcd'],
  ['d', 'b', 'd', 'bcd'],
  ['abcde', 'd', 'b', 'ae'],
  ['a', 'c', 'gone', 'ac'],
  ['', 'a', 'a', 'a'],
])('with "%s" selected, %s clicked after %s selects "%s"', (before, key, from, after) => {
  const next = toggledRows(new Set(before), order, { key, from })
  expect(order.filter((one) => next.has(one)).join('')).toBe(after)
})
