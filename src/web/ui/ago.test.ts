import { expect, test } from 'vitest'
import { agoText } from './ago.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

test.each([
  [-3 * second, 'just now'],
  [4.9 * second, 'just now'],
  [8 * second, '8 s ago'],
  [59.9 * second, '59 s ago'],
  [2.9 * minute, '2 min ago'],
  [59.9 * minute, '59 min ago'],
  [3 * hour, '3 h ago'],
  [47 * hour, '47 h ago'],
  [49 * hour, '2 d ago'],
])('an age of %d ms reads "%s"', (age, text) => {
  expect(agoText(age)).toBe(text)
})
