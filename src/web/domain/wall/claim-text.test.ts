import { expect, onTestFinished, test } from 'vitest'
import { claimText, sleepText } from './claim-text.ts'

// A Monday.
const at = Date.UTC(2026, 10, 16, 10, 12)
const hourMs = 3_600_000
const claim = {
  tile: '00',
  kind: 'claim',
  by: 'Ann',
  createdAt: at,
  reason: null,
  until: null,
} as const

test('a claim of another day says of which', () => {
  const after = (hours: number): string => claimText(claim, at + hours * hourMs, 'utc')
  expect(after(13)).toBe('Ann has been on it since 10:12')
  expect(after(14)).toBe('Ann has been on it since Mon 10:12')
  expect(after(6 * 24)).toBe('Ann has been on it since Nov 16, 10:12')
})

test('a sleep says until which day', () => {
  const until = (hours: number): string =>
    sleepText(
      { ...claim, kind: 'sleep', reason: 'flaky network', until: at + hours * hourMs },
      'utc',
    )
  expect(until(24)).toBe('Sleeps until Tue 10:12: flaky network')
  expect(until(7 * 24)).toBe('Sleeps until Nov 23, 10:12: flaky network')
})

test('in a week in which clocks go ahead, the same day of the next is named by its date', () => {
  const before = process.env.TZ
  onTestFinished(() => {
    process.env.TZ = before ?? 'UTC'
  })
  process.env.TZ = 'Europe/Berlin'
  // A Monday, 23:30; clocks go ahead on the Sunday after it.
  const createdAt = Date.UTC(2026, 2, 23, 22, 30)
  const nextMonday = Date.UTC(2026, 2, 29, 22, 10)
  expect(claimText({ ...claim, createdAt }, nextMonday, 'local')).toBe(
    'Ann has been on it since Mar 23, 23:30',
  )
  const sleep = { ...claim, kind: 'sleep', reason: 'flaky network', createdAt } as const
  expect(sleepText({ ...sleep, until: nextMonday }, 'local')).toBe(
    'Sleeps until Mar 30, 00:10: flaky network',
  )
})
