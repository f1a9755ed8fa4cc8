import { expect, onTestFinished, test } from 'vitest'
import { momentFieldText, readMomentField } from './moment-field.ts'

const at = Date.UTC(2026, 11, 4, 9, 30)

test('a moment is written in the zone of the viewer, and read back', () => {
  expect(momentFieldText(at, 'utc')).toBe('2026-12-04T09:30')
  for (const zone of ['utc', 'local'] as const) {
    expect(readMomentField(momentFieldText(at, zone), zone, at - 1)).toBe(at)
  }
})

test.each(['', '2026-12-04', 'soon', '2026-13-41T10:00'])('"%s" names no moment', (text) => {
  expect(readMomentField(text, 'utc', 0)).toBeUndefined()
})

test.each([
  // 02:50 comes at 00:50 and at 01:50 UTC.
  ['Europe/Berlin', '2026-10-25T02:50', Date.UTC(2026, 9, 25, 0, 50), 60],
  ['Australia/Lord_Howe', '2026-04-05T01:45', Date.UTC(2026, 3, 4, 14, 45), 30],
  ['Europe/Berlin', '2026-10-25T04:50', Date.UTC(2026, 9, 25, 3, 50), 0],
  ['Europe/Berlin', '2026-03-29T01:50', Date.UTC(2026, 2, 29, 0, 50), 0],
])('in %s, %s is the next time that clocks show it', (zone, text, first, minutesLater) => {
  const before = process.env.TZ
  onTestFinished(() => {
    process.env.TZ = before ?? 'UTC'
  })
  process.env.TZ = zone
  expect(readMomentField(text, 'local', first - 1)).toBe(first)
  expect(readMomentField(text, 'local', first)).toBe(first + minutesLater * 60_000)
  expect(readMomentField(text, 'utc', first + 86_400_000)).toBe(Date.parse(`${text}Z`))
})
