import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import type { Facts } from '../protocol/facts.ts'
import { check } from './check.ts'
import { applyEdits } from './diagnostic.ts'
import { format } from './format.ts'
import { anyText } from './grammar/texts.test-support.ts'
import { compile } from './match.ts'
import { parse } from './parse.ts'
import { apiEdits, toApiQuery } from './to-api.ts'

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe']

function sent(text: string, timeZone: string): string {
  return toApiQuery(parse(text), { timeZone })
}

describe('in Berlin', () => {
  test.each([
    ['', ''],
    ['tag:a  AND (tag:b)', 'tag:a  AND (tag:b)'],
    ['buildDuration:>5m  tag:x', 'buildDuration>5m  tag:x'],
    ['unknown:<=5', 'unknown<=5'],
    ['tag:<x a:!=3', 'tag<x a:!=3'],
    ['buildStartTime>-7d', 'buildStartTime>-7d'],
    ['tag:a\u00a0tag:"b\u00a0c" a:[1\u00a0to\u20282]', 'tag:a tag:"b\u00a0c" a:[1 to 2]'],
    ['buildStartTime>=2024-01-01T10:00Z', 'buildStartTime>=2024-01-01T10:00Z'],
    ['buildStartTime:2024-01-01Z', 'buildStartTime:2024-01-01Z'],
    ['buildStartTime>=2024-01-01T10:00', 'buildStartTime>=2024-01-01T10:00+01:00'],
    ['buildStartTime:>2024-07-01T10:00', 'buildStartTime>2024-07-01T10:00+02:00'],
    ['buildStartTime<2024-07-01', 'buildStartTime<2024-07-01T00:00+02:00'],
    ['buildStartTime<"2024-07-01"', 'buildStartTime<"2024-07-01T00:00+02:00"'],
    ['buildStartTime<2024-07-01T10:00:00.5', 'buildStartTime<2024-07-01T10:00:00.5+02:00'],
    [
      'buildStartTime:[2024-01-01 to 2024-07-01T10:00]',
      'buildStartTime:[2024-01-01T00:00+01:00 to 2024-07-01T10:00+02:00]',
    ],
    ['buildStartTime:[2024-01-01 to -1d]', 'buildStartTime:[2024-01-01T00:00+01:00 to -1d]'],
    [
      '-buildStartTime:2024-01-31',
      '-(buildStartTime>=2024-01-31T00:00+01:00 and buildStartTime<2024-02-01T00:00+01:00)',
    ],
    [
      'buildStartTime:2024-01-31T23:59',
      '(buildStartTime>=2024-01-31T23:59+01:00 and buildStartTime<2024-02-01T00:00+01:00)',
    ],
    // Beside these days are years that no query can name.
    [
      'buildStartTime:9999-12-31',
      '(buildStartTime>=9999-12-31T00:00+01:00 and buildStartTime<9999-12-31T23:00:00.000Z)',
    ],
    [
      'buildStartTime:0001-01-01',
      '(buildStartTime>=0001-01-01T00:00:00.000Z and buildStartTime<0001-01-01T23:06:32.000Z)',
    ],
    ['buildStartTime:* tag:x', 'buildStartTime:* tag:x'],
    ['buildStartTime:yesterday', 'buildStartTime:yesterday'],
    ['buildStartTime:[2024-01-01 to', 'buildStartTime:[2024-01-01 to'],
    ['(buildDuration:>5m or', '(buildDuration>5m or'],
  ])('%j is sent as %j', (text, expected) => {
    expect(sent(text, 'Europe/Berlin')).toBe(expected)
  })

  test('a day on which clocks change is 23 or 25 hours long', () => {
    expect(sent('buildStartTime:2024-03-31', 'Europe/Berlin')).toBe(
      '(buildStartTime>=2024-03-31T00:00+01:00 and buildStartTime<2024-04-01T00:00+02:00)',
    )
    expect(sent('buildStartTime:2024-10-27', 'Europe/Berlin')).toBe(
      '(buildStartTime>=2024-10-27T00:00+02:00 and buildStartTime<2024-10-28T00:00+01:00)',
    )
  })

  test('a time that clocks skip is written in UTC', () => {
    expect(sent('buildStartTime>2024-03-31T02:30', 'Europe/Berlin')).toBe(
      'buildStartTime>2024-03-31T01:00:00.000Z',
    )
    expect(sent('buildStartTime>2024-03-31T02:00', 'Europe/Berlin')).toBe(
      'buildStartTime>2024-03-31T02:00+01:00',
    )
  })
})

test('offsets are written as they are, and UTC as Z', () => {
  expect(sent('buildStartTime>2024-01-01', 'UTC')).toBe('buildStartTime>2024-01-01T00:00Z')
  expect(sent('buildStartTime>2024-01-01', 'Asia/Kolkata')).toBe(
    'buildStartTime>2024-01-01T00:00+05:30',
  )
  expect(sent('buildStartTime>2024-01-01', 'America/New_York')).toBe(
    'buildStartTime>2024-01-01T00:00-05:00',
  )
  // Local mean time, off by minutes and seconds.
  expect(sent('buildStartTime>1880-01-01', 'Europe/Berlin')).toBe(
    'buildStartTime>1879-12-31T23:06:32.000Z',
  )
})

test('a zone that does not exist is refused', () => {
  expect(() => sent('buildStartTime>2024-01-01', 'Mars/Olympus')).toThrow(RangeError)
})

describe('for any query', () => {
  const timeZone = fc.constantFrom(...zones)

  test('the API form of an API form is the same', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, timeQuery), timeZone, (text, zone) => {
        const once = sent(text, zone)
        expect(sent(once, zone)).toBe(once)
      }),
      { numRuns: runs(500) },
    )
  })

  test('edits are in order, and what they leave alone is as it was written', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, timeQuery), timeZone, (text, zone) => {
        const query = parse(text)
        const edits = apiEdits(query, { timeZone: zone })
        expect(applyEdits(text, edits)).toBe(toApiQuery(query, { timeZone: zone }))
        let at = 0
        for (const { from, to } of edits) {
          expect(at <= from && from <= to && to <= text.length).toBe(true)
          at = to
        }
      }),
      { numRuns: runs(500) },
    )
  })

  test('in UTC, as the API reads it, it means what the query means in its own zone', () => {
    fc.assert(
      fc.property(timeQuery, timeZone, fc.array(instant), (text, zone, times) => {
        const now = Date.UTC(2024, 5, 1)
        const inZone = compile(parse(text), { now, timeZone: zone })
        // With one end in a zone and one without, a range may turn out to be empty: then it is an error.
        const problems = check(parse(sent(text, zone)))
        fc.pre(problems.every(({ code }) => code !== 'value.range-reversed'))
        const atApi = compile(parse(sent(text, zone)), { now, timeZone: 'UTC' })
        const printed = compile(parse(format(parse(text))), { now, timeZone: zone })
        for (const startTime of [...times, ...interesting]) {
          const facts = { ...build, startTime }
          expect([startTime, atApi(facts)]).toEqual([startTime, inZone(facts)])
          expect(printed(facts)).toBe(inZone(facts))
        }
      }),
      { numRuns: runs(300) },
    )
  })
})

const build: Facts = {
  buildId: 'a1b2c3d4e5f6a',
  receivedAt: 0,
  buildTool: 'gradle',
  buildToolVersion: '8.8',
  agentVersion: '3.17',
}

const instant = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2024, 11, 31) })

const twoDigits = (amount: number): string => String(amount).padStart(2, '0')

/** Many of them near the days on which clocks change. */
const date = fc.oneof(
  fc.constantFrom('2024-03-31', '2024-10-27', '2024-03-10', '2024-11-03', '2024-04-07'),
  fc
    .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
    .map(([month, day]) => `2024-${twoDigits(month)}-${twoDigits(day)}`),
)

const moment = fc.oneof(
  date,
  fc
    .tuple(date, fc.integer({ min: 0, max: 23 }), fc.constantFrom('00', '30', '59'))
    .chain(([day, hour, minute]) =>
      fc
        .constantFrom('', ':00', ':59.999', 'Z', '+02:00')
        .map((rest) => `${day}T${twoDigits(hour)}:${minute}${rest}`),
    ),
  fc.constantFrom('-1d', '-90d', '-12h'),
)

const timeTerm = fc.oneof(
  fc
    .tuple(fc.constantFrom(':', '>', '<', ':>=', '<='), moment)
    .map(([operator, value]) => `buildStartTime${operator}${value}`),
  fc.tuple(moment, moment).map(([low, high]) => `buildStartTime:[${low} to ${high}]`),
)

const timeQuery = fc
  .array(
    fc
      .tuple(fc.constantFrom('', '-', 'not ', '-('), timeTerm)
      .map(([sign, term]) => `${sign}${term}${sign === '-(' ? ')' : ''}`),
    { minLength: 1, maxLength: 3 },
  )
  .chain((terms) => fc.constantFrom(' ', ' or ').map((joint) => terms.join(joint)))

/** Around the changes of clocks of the zones above. */
const interesting = [
  '2024-03-31T01:00Z',
  '2024-10-27T01:00Z',
  '2024-03-10T07:00Z',
  '2024-11-03T06:00Z',
]
  .map((time) => Date.parse(time))
  .flatMap((time) =>
    [-5_400_000, -3_600_000, -1, 0, 1, 1_800_000, 3_600_000].map((by) => time + by),
  )
