import { describe, expect, test } from 'vitest'
import { check } from '../../../search/check.ts'
import { parse } from '../../../search/parse.ts'
import { startCondition, startRange, withoutStart, withStart } from './query-time.ts'
import { fieldTime, timeLabel, timePresets, typedRange } from './time-presets.ts'

/** A Saturday just after midnight in Berlin, and still Friday in UTC. */
const now = Date.parse('2026-11-20T23:30:00Z')

describe('times to choose', () => {
  test.each([
    ['Europe/Berlin', ':2026-11-21', ':2026-11-20', '>=2026-11-16'],
    ['UTC', ':2026-11-20', ':2026-11-19', '>=2026-11-16'],
  ])('are days of the zone: %s', (timeZone, today, yesterday, week) => {
    const presets = new Map(
      timePresets({ now, timeZone }).map(({ label, condition }) => [label, condition]),
    )
    expect(presets.get('Today')).toBe(today)
    expect(presets.get('Yesterday')).toBe(yesterday)
    expect(presets.get('This week')).toBe(week)
  })

  test('the week begins on Monday, also on a Sunday and across a year', () => {
    const weekOf = (day: string) =>
      timePresets({ now: Date.parse(`${day}T12:00:00Z`), timeZone: 'UTC' }).at(-1)?.condition
    expect(weekOf('2026-11-22')).toBe('>=2026-11-16')
    expect(weekOf('2026-11-23')).toBe('>=2026-11-23')
    expect(weekOf('2027-01-01')).toBe('>=2026-12-28')
  })

  test('each takes the place of the times in a query, is known again, and goes', () => {
    const at = { now, timeZone: 'UTC' }
    const presets = timePresets(at)
    for (const { condition, label } of presets) {
      const text = withStart(parse('tag:a buildStartTime>-2d buildStartTime<-1d'), condition)
      const query = parse(text)
      expect(check(query)).toEqual([])
      expect(timeLabel(startCondition(query), true, presets)).toBe(label)
      expect(startRange(query, at).from).toBeLessThan(now)
      expect(withoutStart(query)).toBe('tag:a')
    }
    expect(timeLabel(undefined, false, presets)).toBe('Any time')
    expect(timeLabel('>-3h', true, presets)).toBe('Custom range')
  })

  test.each([
    ['2026-03-01T08:00', '2026-03-01T17:00', ':[2026-03-01T08:00 to 2026-03-01T17:00]'],
    ['2026-03-01T08:00', '', '>=2026-03-01T08:00'],
    ['', '2026-03-01T08:00', '<2026-03-01T08:00'],
  ])('a range is typed from %s to %s', (from, to, condition) => {
    expect(typedRange(from, to)).toEqual({ condition })
    expect(check(parse(`buildStartTime${condition}`))).toEqual([])
  })

  test('a range that ends before it begins, or has no end, is none', () => {
    expect(typedRange('2026-03-02T08:00', '2026-03-01T08:00')).toHaveProperty('mistake')
    expect(typedRange('', '')).toHaveProperty('mistake')
  })

  test('the range of a query stands in the fields on the clocks of its zone', () => {
    expect(fieldTime(now, 'Europe/Berlin')).toBe('2026-11-21T00:30')
    expect(fieldTime(undefined, 'UTC')).toBe('')
  })
})
