import { expect, test } from 'vitest'
import { pastedText } from './editor-extensions.ts'

test.each([
  ['tag:CI\n  and user:ann\n', 'tag:CI and user:ann'],
  ['tag:CI\r\n\r\nuser:ann', 'tag:CI user:ann'],
  ['tag:“a b”', 'tag:"a b"'],
  ['tag:„a b“', 'tag:"a b"'],
  ['tag:a\u00a0user:b', 'tag:a user:b'],
  ['\ufefftag:\u200bC\u00adI\u2060', 'tag:CI'],
  ['tag:👩\u200d💻', 'tag:👩\u200d💻'],
  ["tag:it's", "tag:it's"],
])('%j becomes one line that the language can read', (text, pasted) => {
  expect(pastedText(text, false)).toBe(pasted)
})

test('lines are kept in a query that has lines', () => {
  expect(pastedText('tag:a\r\n  user:“b”\n', true)).toBe('tag:a\n  user:"b"\n')
})
