import fc from 'fast-check'
import { expect, test } from 'vitest'
import { localDay } from './tile-durations.ts'

const hour = 60 * 60 * 1000

test.each([
  ['UTC', Date.UTC(2026, 0, 5, 12), Date.UTC(2026, 0, 5), 24],
  ['UTC', Date.UTC(2026, 0, 5), Date.UTC(2026, 0, 5), 24],
  ['UTC', Date.UTC(2026, 0, 6) - 1, Date.UTC(2026, 0, 5), 24],
  ['Pacific/Auckland', Date.UTC(2026, 0, 5, 12), Date.UTC(2026, 0, 5, 11), 24],
  // Clocks go forward, and back.
  ['Europe/Berlin', Date.UTC(2026, 2, 29, 12), Date.UTC(2026, 2, 28, 23), 23],
  ['Europe/Berlin', Date.UTC(2026, 9, 25, 12), Date.UTC(2026, 9, 24, 22), 25],
] as const)('in %s the day of %d is whole', (zone, instant, from, hours) => {
  expect(localDay(instant, zone)).toEqual({ from, to: from + hours * hour })
})

test('an instant belongs to the day of its date, whatever was formatted before it', () => {
  const zone = fc.constantFrom('UTC', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe')
  const instants = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) })
  fc.assert(
    fc.property(zone, instants, instants, (timeZone, one, other) => {
      const date = (at: number) => new Date(at).toLocaleDateString('en-CA', { timeZone })
      const { from, to } = localDay(one, timeZone)
      expect(other >= from && other < to).toBe(date(other) === date(one))
      expect([date(from), date(to - 1)]).toEqual([date(one), date(one)])
      expect([date(from - 1), date(to)]).not.toContain(date(one))
    }),
  )
})

test('a zone that there is not is refused', () => {
  expect(() => localDay(0, 'Nowhere/At-All')).toThrow(RangeError)
})
