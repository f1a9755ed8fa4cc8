import { expect, test } from 'vitest'
import { createKeeper, groupedBy } from './keyed.ts'

test('things are grouped by their key, in the order in which they came', () => {
  const groups = groupedBy(['b1', 'a1', 'b2'], (text) => text.charAt(0))
  expect([...groups]).toEqual([
    ['b', ['b1', 'b2']],
    ['a', ['a1']],
  ])
})

test('a keeper makes a value once, and drops the one that was wanted longest ago', () => {
  const made: string[] = []
  const keeper = createKeeper<string>(2)
  const open = (key: string): string =>
    keeper.open(key, () => {
      made.push(key)
      return key.toUpperCase()
    })
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) expect(open(key)).toBe(key.toUpperCase())
  expect(made).toEqual(['a', 'b', 'c', 'b'])
  expect(keeper.all()).toEqual(['A', 'B'])
  keeper.forget('a')
  expect(keeper.all()).toEqual(['B'])
})
