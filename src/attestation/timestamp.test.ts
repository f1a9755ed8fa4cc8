import { expect, test } from 'vitest'
import { timeProblem } from './timestamp.ts'

test.each([
  '2026-01-31T12:00:00Z',
  '2024-02-29T23:59:60+05:30',
  '2023-11-25T16:11:11.546716349-06:00',
  '2026-01-31 12:00:00z',
])('%s is a timestamp', (text) => {
  expect(timeProblem(text)).toBeUndefined()
})

test.each([
  ['2026-01-31T12:00:00', /no time zone/],
  ['2026-02-30T12:00:00Z', /no such day/],
  ['2026-01-31T25:00:00Z', /no such day/],
  ['9999-12-31T23:59:59Z', /year 9999/],
  ['0001-01-01T00:00:00Z', /year 0001/],
  ['1718048845', /no timestamp/],
  ['yesterday', /no timestamp/],
])('%s is doubted', (text, problem) => {
  expect(timeProblem(text)).toMatch(problem)
})
