import { expect, test } from 'vitest'
import { durationText } from './duration.ts'

test.each([
  [0, '0.0 s'],
  [400, '0.4 s'],
  [949, '0.9 s'],
  [950, '1 s'],
  [44_000, '44 s'],
  [59_499, '59 s'],
  [59_500, '1 min'],
  [72_000, '1 min 12 s'],
  [120_000, '2 min'],
  [3_599_600, '1 h'],
  [3_900_000, '1 h 5 min'],
  [86_399_000, '1 d'],
  [183_600_000, '2 d 3 h'],
])('%d ms reads "%s"', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})
