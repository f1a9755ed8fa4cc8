import { expect, test } from 'vitest'
import { readReleaseDay } from './release-day.tsx'

const now = Date.UTC(2026, 10, 22, 12)
const read = (text: string) => readReleaseDay(text, { now, zone: 'utc' })

test('a day is judged at its end, today too', () => {
  expect(read('')).toEqual({ is: 'off' })
  expect(read('2026-12-01')).toEqual({ is: 'day', end: Date.UTC(2026, 11, 2) - 1, text: 'Dec 1' })
  expect(read('2026-11-22')).toMatchObject({ end: Date.UTC(2026, 10, 23) - 1 })
  expect(read('2027-02-28')).toMatchObject({ text: 'Feb 28, 2027' })
})

test('a day that has passed, and what is none, are answered in words', () => {
  expect(read('2026-11-21')).toEqual({
    is: 'mistake',
    sentence: 'Nov 21 has passed. Choose today or a later day; recorded runs show the past.',
  })
  for (const text of ['soon', '2026-13-01', '2026-02-30', '2026-00-10', 'Dec 1', '2026-12-01T10']) {
    expect(read(text)).toEqual({
      is: 'mistake',
      sentence: `“${text}” isn't a date. Choose a day, such as 2026-11-22.`,
    })
  }
})
