import { expect, test } from 'vitest'
import { durationWords, readDuration } from './duration.ts'

test.each([
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1500],
  ['250ms', 250],
  ['0s', 0],
  ['10', undefined],
  ['-5s', undefined],
  ['5 m', undefined],
  ['', undefined],
])('%j is %s ms', (text, ms) => {
  expect(readDuration(text)).toBe(ms)
})

test.each([
  [400, '1 s'],
  [59_000, '59 s'],
  [60_000, '1 min'],
  [90_000, '1 min 30 s'],
  [5_400_000, '1 h 30 min'],
])('%d ms are "%s"', (ms, words) => {
  expect(durationWords(ms)).toBe(words)
})
