import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyEdits } from '../../../search/diagnostic.ts'
import { changeBetween, createEcho } from './text-change.ts'

test.each([
  ['tag:a', 'tag:ab', { from: 5, to: 5, insert: 'b' }],
  ['tag:a user:b', 'tag:a', { from: 5, to: 12, insert: '' }],
  ['tag:aa', 'tag:a', { from: 5, to: 6, insert: '' }],
  ['', 'x', { from: 0, to: 0, insert: 'x' }],
])('from %j to %j is one small edit', (before, after, edit) => {
  expect(changeBetween(before, after)).toEqual(edit)
})

test('nothing changes between equal texts', () => {
  expect(changeBetween('tag:a', 'tag:a')).toBeUndefined()
})

test('the edit always makes the one text of the other', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 12 })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const edit = changeBetween(before, after)
      expect(applyEdits(before, edit === undefined ? [] : [edit])).toBe(after)
    }),
  )
})
test('what was reported comes back as an echo, though later or with some of it left out', () => {
  const echo = createEcho()
  for (const text of ['a', 'ab', 'abc']) echo.report(text)
  expect(echo.isEcho('ab')).toBe(true)
  expect(echo.isEcho('abc')).toBe(true)
})

test('the same text given once more is a change of its holder', () => {
  const echo = createEcho()
  echo.report('a')
  echo.report('ab')
  expect(echo.isEcho('ab')).toBe(true)
  expect(echo.isEcho('a')).toBe(false)
})

test('what was never reported is a change', () => {
  expect(createEcho().isEcho('')).toBe(false)
})
