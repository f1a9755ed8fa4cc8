import { expect, test } from 'vitest'
import { extended, nothingChosen, toggled } from './use-list-state.ts'

const order = ['a', 'b', 'c', 'd', 'e']

test('a build is chosen, and chosen no more', () => {
  const one = toggled(nothingChosen, 'b')
  expect([...one.chosen]).toEqual(['b'])
  expect([...toggled(one, 'b').chosen]).toEqual([])
})

test('a range goes from the last one toggled, in either direction, and adds to what is chosen', () => {
  const far = toggled(toggled(nothingChosen, 'e'), 'c')
  expect([...extended(far, 'a', order).chosen].sort()).toEqual(['a', 'b', 'c', 'e'])
  expect([...extended(toggled(nothingChosen, 'b'), 'd', order).chosen]).toEqual(['b', 'c', 'd'])
})

test('a range from nowhere is one build', () => {
  expect([...extended(nothingChosen, 'c', order).chosen]).toEqual(['c'])
  expect([...extended(toggled(nothingChosen, 'gone'), 'c', order).chosen].sort()).toEqual([
    'c',
    'gone',
  ])
})
