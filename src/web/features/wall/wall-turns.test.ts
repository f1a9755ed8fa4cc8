import { expect, test } from 'vitest'
import { namesInSettings, turnText, wallOfTurn, wallsInTurn } from './wall-turns.ts'

test.each([
  ['a', [], ['a']],
  ['a', ['b', 'c'], ['a', 'b', 'c']],
  ['b', ['a', 'b', 'c'], ['b', 'c', 'a']],
  ['a', ['*', 'b'], ['a', '', 'b']],
  ['', ['a', 'a'], ['', 'a']],
])('with the wall “%s” and those named %j these take turns: %j', (name, rotate, names) => {
  expect(wallsInTurn(name, rotate)).toEqual(names)
  expect(wallsInTurn(name, namesInSettings(names))).toEqual(names)
})

const shown = (reds: readonly boolean[]): number[] =>
  [0, 1, 2, 3].map((turn) => wallOfTurn(reds, turn))

test('all walls take turns while none is red; a red one stays, and several take turns', () => {
  expect(shown([false, false, false])).toEqual([0, 1, 2, 0])
  expect(shown([false, true, false])).toEqual([1, 1, 1, 1])
  expect(shown([true, false, true])).toEqual([0, 2, 0, 2])
})

test('a wall says which of several it is, and why it stays', () => {
  expect(turnText([true], 0, false)).toBeUndefined()
  expect(turnText([false, false], 1, false)).toBe('wall 2 of 2')
  expect(turnText([false, true], 1, false)).toBe('wall 2 of 2, held: something on it is failing')
  expect(turnText([false, true], 1, true)).toBe('wall 2 of 2, held: something on it was failing')
  expect(turnText([true, true], 1, false)).toBe('wall 2 of 2')
})
