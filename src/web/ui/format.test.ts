import { expect, test } from 'vitest'
import {
  agoText,
  bytesText,
  durationText,
  instantText,
  momentText,
  shortenMiddle,
  timeOfDayText,
} from './format.ts'

const at = Date.UTC(2026, 10, 20, 9, 14, 5)

test('an instant in UTC says its date, time to the second, and zone', () => {
  expect(instantText(at, 'utc')).toBe('Nov 20, 2026, 09:14:05 UTC')
  expect(momentText(at, 'utc')).toBe('Nov 20, 2026, 09:14 UTC')
})

test('a local instant names the zone of the device, too', () => {
  expect(instantText(at, 'local')).toMatch(/2026, \d\d:\d\d:05 \S+$/)
})

test('a time of day has hours and minutes', () => {
  expect(timeOfDayText(at, 'utc')).toBe('09:14')
})

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

test('what is further ahead than clocks differ is said with its date', () => {
  expect(agoText(-minute, 'Nov 23')).toBe('just now')
  expect(agoText(-3 * 24 * hour, 'Nov 23')).toBe('Nov 23')
  expect(agoText(8 * second, 'Nov 23')).toBe('8 s ago')
})

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

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [812, '812 bytes'],
  [999.6, '1.0 kB'],
  [4_100_000, '4.1 MB'],
  [99_940_000, '99.9 MB'],
  [209_274_241, '209 MB'],
  [999_600_000, '1.0 GB'],
  [1.5e15, '1500 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})

test('an id keeps its beginning and its end', () => {
  expect(shortenMiddle('k3j7abcde7a4c')).toBe('k3j7…7a4c')
  expect(shortenMiddle('sha256')).toBe('sha256')
})
