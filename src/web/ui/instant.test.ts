import { expect, test } from 'vitest'
import { instantText, timeOfDayText } from './instant.ts'

const at = Date.UTC(2026, 10, 20, 9, 14, 5)

test('an instant in UTC says its date, time to the second, and zone', () => {
  expect(instantText(at, 'utc')).toBe('20 Nov 2026, 09:14:05 UTC')
})

test('a local instant names the zone of the device, too', () => {
  expect(instantText(at, 'local')).toMatch(/2026, \d\d:\d\d:05 \S+$/)
})

test('a time of day has hours and minutes', () => {
  expect(timeOfDayText(at, 'utc')).toBe('09:14')
})
