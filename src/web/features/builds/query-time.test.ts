import { describe, expect, test } from 'vitest'
import { parse } from '../../../search/parse.ts'
import {
  dayAt,
  fieldTime,
  pastRange,
  rangeBefore,
  startCondition,
  startRange,
  timeLabel,
  timePresets,
  typedRange,
  withoutStart,
  withStart,
  withStartRange,
} from './query-time.ts'
import { serverSearchLink } from './result-tools.tsx'
import { check } from '../../../search/check.ts'

const now = Date.UTC(2026, 10, 20, 12)
const day = 86_400_000
const at = { now, timeZone: 'Europe/Berlin' }

test.each([
  ['project:x', undefined, undefined],
  ['buildStartTime>=-7d', now - 7 * day, undefined],
  [
    'tag:a buildStartTime>=2026-11-01T00:00:00Z buildStartTime<2026-11-03T00:00:00Z',
    Date.UTC(2026, 10, 1),
    Date.UTC(2026, 10, 3),
  ],
  [
    'buildStartTime:[2026-11-01T00:00:00Z to 2026-11-02T00:00:00Z]',
    Date.UTC(2026, 10, 1),
    Date.UTC(2026, 10, 2) + 1,
  ],
  ['buildStartTime:2026-11-01', Date.UTC(2026, 9, 31, 23), Date.UTC(2026, 10, 1, 23)],
  ['buildStartTime>=-7d or tag:a', undefined, undefined],
  ['-buildStartTime>=-7d', undefined, undefined],
  ['buildStartTime>nonsense', undefined, undefined],
])('%s', (text, from, to) => {
  expect(startRange(parse(text), at)).toEqual({
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  })
})

test('“Today” goes up to now, and is compared with as much time before it', () => {
  const midnight = Date.UTC(2026, 10, 19, 23)
  const today = pastRange(parse('project:x buildStartTime:2026-11-20'), at)
  expect(today).toEqual({ from: midnight, to: now })
  expect(today && rangeBefore(today)).toEqual({ from: 2 * midnight - now, to: midnight })
})

test.each([
  ['buildStartTime>=-7d', { from: now - 7 * day, to: now }],
  ['buildStartTime:2026-11-01', { from: Date.UTC(2026, 9, 31, 23), to: Date.UTC(2026, 10, 1, 23) }],
  ['buildStartTime<2026-11-01', undefined],
  ['buildStartTime>2026-11-21', undefined],
  ['buildStartTime:2026-11-21', undefined],
  ['buildStartTime>-1d buildStartTime<-2d', undefined],
  ['buildStartTime>-999999999d', { from: 0, to: now }],
  ['buildStartTime:1969-07-21', undefined],
])('what of %s lies behind', (text, range) => {
  expect(pastRange(parse(text), at)).toEqual(range)
})

const narrowed = 'buildStartTime:[2026-11-20T11:00:00Z to 2026-11-20T11:59:59.999Z]'

test.each([
  ['', narrowed],
  ['project:x', `project:x ${narrowed}`],
  ['a:1 or b:2', `(a:1 or b:2) ${narrowed}`],
  ['buildStartTime>-7d project:x', `${narrowed} project:x`],
  ['buildStartTime>-7d and project:x and buildStartTime<-1d', `${narrowed} and project:x`],
])('%s is narrowed to an hour', (text, expected) => {
  expect(withStartRange(parse(text), now - day / 24, now)).toBe(expected)
})

test('what is narrowed has that range', () => {
  const text = withStartRange(parse('project:x buildStartTime>-7d'), now - day, now)
  expect(startRange(parse(text), at)).toEqual({ from: now - day, to: now })
  expect(withoutStart(parse(text)).trim()).toBe('project:x')
})

test('the search on the page of the server has its time beside it', () => {
  const server = { kind: 'server', origin: 'https://ge.example.com' } as const
  const query = parse('project:"a b" buildStartTime>=-1d')
  expect(serverSearchLink(server, query, at)).toBe(
    `https://ge.example.com/scans?search.query=project%3A%22a%20b%22&search.startTimeMin=${now - day}&search.startTimeMax=${now}&search.timeZoneId=Europe%2FBerlin`,
  )
  expect(serverSearchLink({ kind: 'embedded', origin: null }, query, at)).toBeUndefined()
})

/** A Saturday just after midnight in Berlin, and still Friday in UTC. */
const night = Date.parse('2026-11-20T23:30:00Z')

describe('times to choose', () => {
  test.each([
    ['Europe/Berlin', ':2026-11-21', ':2026-11-20', '>=2026-11-16'],
    ['UTC', ':2026-11-20', ':2026-11-19', '>=2026-11-16'],
  ])('are days of the zone: %s', (timeZone, today, yesterday, week) => {
    const presets = new Map(
      timePresets(dayAt(night, timeZone)).map(({ label, condition }) => [label, condition]),
    )
    expect(presets.get('Today')).toBe(today)
    expect(presets.get('Yesterday')).toBe(yesterday)
    expect(presets.get('This week')).toBe(week)
  })

  test('the week begins on Monday, also on a Sunday and across a year', () => {
    const weekOf = (day: string) => timePresets(day).at(-1)?.condition
    expect(weekOf('2026-11-22')).toBe('>=2026-11-16')
    expect(weekOf('2026-11-23')).toBe('>=2026-11-23')
    expect(weekOf('2027-01-01')).toBe('>=2026-12-28')
  })

  test('each takes the place of the times in a query, is known again, and goes', () => {
    const at = { now: night, timeZone: 'UTC' }
    const presets = timePresets(dayAt(night, 'UTC'))
    for (const { condition, label } of presets) {
      const text = withStart(parse('tag:a buildStartTime>-2d buildStartTime<-1d'), condition)
      const query = parse(text)
      expect(check(query)).toEqual([])
      expect(timeLabel(startCondition(query), true, presets)).toBe(label)
      expect(startRange(query, at).from).toBeLessThan(night)
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
    expect(fieldTime(night, 'Europe/Berlin')).toBe('2026-11-21T00:30')
    expect(fieldTime(undefined, 'UTC')).toBe('')
  })
})
