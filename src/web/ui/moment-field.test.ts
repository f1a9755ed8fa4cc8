import { expect, test } from 'vitest'
import { momentFieldText, readMomentField } from './moment-field.ts'

const at = Date.UTC(2026, 11, 4, 9, 30)

test('a moment is written in the zone of the viewer, and read back', () => {
  expect(momentFieldText(at, 'utc')).toBe('2026-12-04T09:30')
  for (const zone of ['utc', 'local'] as const) {
    expect(readMomentField(momentFieldText(at, zone), zone)).toBe(at)
  }
})

test.each(['', '2026-12-04', 'soon', '2026-13-41T10:00'])('"%s" names no moment', (text) => {
  expect(readMomentField(text, 'utc')).toBeUndefined()
})
