import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hourMs } from '../../../protocol/clock.ts'
import { buildsPerHour, isNightlyTime, lastWorkingTime } from './rhythm.ts'

const wednesday = Date.UTC(2026, 10, 18)
const saturday = Date.UTC(2026, 10, 21)

function day(midnight: number): number {
  return Array.from({ length: 24 }, (_, hour) => buildsPerHour(midnight + hour * hourMs)).reduce(
    (sum, builds) => sum + builds,
  )
}

describe('the rhythm of the company', () => {
  test('is 800 to 1,000 builds on a working day and a fraction of it at weekends', () => {
    expect(day(wednesday)).toBeGreaterThan(800)
    expect(day(wednesday)).toBeLessThan(1000)
    expect(day(saturday)).toBeLessThan(day(wednesday) / 4)
  })

  test('is busy in the afternoon, quiet at night, and has nightlies after one', () => {
    expect(buildsPerHour(wednesday + 14.5 * hourMs)).toBeGreaterThan(60)
    expect(buildsPerHour(wednesday + 23 * hourMs)).toBeLessThan(15)
    expect(isNightlyTime(wednesday + 2 * hourMs)).toBe(true)
    expect(isNightlyTime(wednesday + 12 * hourMs)).toBe(false)
  })

  test.each([
    ['at noon', wednesday + 12 * hourMs, wednesday + 12 * hourMs],
    ['at night', wednesday + 23 * hourMs, wednesday + 20 * hourMs],
    ['before dawn', wednesday + 3 * hourMs, wednesday - 4 * hourMs],
    ['on Saturday', saturday + 12 * hourMs, saturday - 4 * hourMs],
    ['on Monday before dawn', saturday + 52 * hourMs, saturday - 4 * hourMs],
  ])('knows when somebody last worked, %s', (_, at, expected) => {
    expect(lastWorkingTime(at)).toBe(expected)
  })

  test('finds working time at or before any time, and the same again from there', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (at) => {
        const worked = lastWorkingTime(at)
        expect(worked).toBeLessThanOrEqual(at)
        expect(at - worked).toBeLessThan(67 * hourMs)
        expect(lastWorkingTime(worked)).toBe(worked)
      }),
    )
  })
})
