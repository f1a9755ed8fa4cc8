import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Moment } from './condition.ts'
import { readInstant } from './instant.ts'
import { momentTime } from './moment-time.ts'

function moment(text: string): Moment {
  const reading = readInstant(text)
  if (!reading.ok) throw new Error(reading.problem.message)
  return reading.value.moment
}

const at = (text: string, timeZone: string) =>
  new Date(momentTime(moment(text), { now: 0, timeZone })).toISOString()

describe('momentTime', () => {
  test.each([
    ['2024-01-01', 'UTC', '2024-01-01T00:00:00.000Z'],
    ['2024-07-01T12:00', 'Europe/Berlin', '2024-07-01T10:00:00.000Z'],
    ['2024-01-01T12:00', 'Europe/Berlin', '2024-01-01T11:00:00.000Z'],
    ['2024-01-01T12:00', 'Asia/Kolkata', '2024-01-01T06:30:00.000Z'],
    ['2024-01-01T12:00:00.123', 'America/New_York', '2024-01-01T17:00:00.123Z'],
    ['2024-01-01T12:00Z', 'America/New_York', '2024-01-01T12:00:00.000Z'],
    ['2024-01-01T12:00+05:45', 'America/New_York', '2024-01-01T06:15:00.000Z'],
    // Clocks go forward in Berlin: 02:00 to 03:00 is skipped.
    ['2024-03-31T01:59', 'Europe/Berlin', '2024-03-31T00:59:00.000Z'],
    ['2024-03-31T02:00', 'Europe/Berlin', '2024-03-31T01:00:00.000Z'],
    ['2024-03-31T02:30', 'Europe/Berlin', '2024-03-31T01:00:00.000Z'],
    ['2024-03-31T03:00', 'Europe/Berlin', '2024-03-31T01:00:00.000Z'],
    // Back again: 02:00 to 03:00 is there twice.
    ['2024-10-27T01:59', 'Europe/Berlin', '2024-10-26T23:59:00.000Z'],
    ['2024-10-27T02:30', 'Europe/Berlin', '2024-10-27T00:30:00.000Z'],
    ['2024-10-27T03:00', 'Europe/Berlin', '2024-10-27T02:00:00.000Z'],
    ['2024-03-10T01:59', 'America/New_York', '2024-03-10T06:59:00.000Z'],
    ['2024-03-10T02:30', 'America/New_York', '2024-03-10T07:00:00.000Z'],
    ['2024-11-03T01:30', 'America/New_York', '2024-11-03T05:30:00.000Z'],
    ['2024-11-03T02:00', 'America/New_York', '2024-11-03T07:00:00.000Z'],
    // A midnight that is skipped, a day that is, and a change of half an hour.
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    ['2011-12-30T12:00', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['2024-04-07T01:45', 'Australia/Lord_Howe', '2024-04-06T14:45:00.000Z'],
    ['0033-04-03', 'UTC', '0033-04-03T00:00:00.000Z'],
    ['1800-01-01', 'America/New_York', '1800-01-01T04:56:02.000Z'],
    ['9999-12-31', 'Pacific/Kiritimati', '9999-12-30T10:00:00.000Z'],
  ])('%s in %s is %s', (text, timeZone, expected) => {
    expect(at(text, timeZone)).toBe(expected)
  })

  test.each([
    ['2024-03-31', 'Europe/Berlin', 23],
    ['2024-10-27', 'Europe/Berlin', 25],
    ['2024-03-10', 'America/New_York', 23],
    ['2024-11-03', 'America/New_York', 25],
    ['2024-02-29', 'Europe/Berlin', 24],
    ['2024-12-31', 'UTC', 24],
    ['2011-12-30', 'Pacific/Apia', 0],
  ])('the day %s in %s has %d hours', (text, timeZone, hours) => {
    const reading = readInstant(text)
    if (!reading.ok || !reading.value.next) throw new Error('no day')
    const { moment: from, next: to } = reading.value
    const zone = { now: 0, timeZone }
    expect(momentTime(to, zone) - momentTime(from, zone)).toBe(hours * 3_600_000)
  })

  test('counts a distance from now', () => {
    const now = Date.UTC(2024, 5, 1)
    const from = (text: string) => momentTime(moment(text), { now, timeZone: 'UTC' }) - now
    expect(from('-5d')).toBe(-432_000_000)
    expect(from('-PT1H')).toBe(-3_600_000)
    expect(from('+1m')).toBe(60_000)
    expect(from('-0s')).toBe(0)
  })

  test('keeps a fraction of a millisecond', () => {
    const time = momentTime(moment('2024-01-01T00:00:00.000123'), { now: 0, timeZone: 'UTC' })
    expect(time - Date.UTC(2024, 0, 1)).toBeCloseTo(0.123, 3)
  })

  test('gives an instant at which clocks show just that, unless they skip it', () => {
    const zones = fc.constantFrom(
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kolkata',
      'Pacific/Apia',
      'UTC',
    )
    const minutes = fc.integer({ min: 16_000_000, max: 30_000_000 })
    fc.assert(
      fc.property(zones, minutes, (timeZone, minute) => {
        const wall = new Date(minute * 60_000).toISOString().slice(0, 16)
        const time = momentTime(moment(wall), { now: 0, timeZone })
        const shown = (ms: number) =>
          new Date(ms).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T').slice(0, 16)
        const isSkipped = shown(time) > wall && shown(time - 1) < wall
        expect(isSkipped || shown(time) === wall).toBe(true)
      }),
    )
  })

  test('refuses a zone that there is not', () => {
    expect(() => momentTime(moment('2024-01-01'), { now: 0, timeZone: 'Mars/Base' })).toThrow(
      RangeError,
    )
  })
})
