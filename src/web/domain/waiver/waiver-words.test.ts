import { expect, test } from 'vitest'
import { expiryText } from './waiver-words.ts'

const now = Date.UTC(2026, 10, 20, 9)

test.each([
  [Date.UTC(2026, 11, 4, 9), '4 Dec'],
  [Date.UTC(2026, 10, 20, 16, 5), '20 Nov 16:05'],
  [Date.UTC(2026, 10, 20, 8), '20 Nov 08:00'],
  [Date.UTC(2027, 0, 4), '4 Jan 2027'],
])('%i ends at %s', (at, words) => {
  expect(expiryText(at, 'utc', now)).toBe(words)
})
