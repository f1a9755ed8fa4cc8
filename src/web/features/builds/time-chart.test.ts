import { expect, test } from 'vitest'
import type { Facts } from '../../../protocol/facts.ts'
import { daysLabel, earlierText, outlyingText, sinceReached, timeBuckets } from './time-chart.tsx'

const noon = Date.UTC(2026, 10, 20, 12)
const minute = 60_000
const day = 86_400_000

function build(startTime: number | undefined, outcome?: 'succeeded' | 'failed'): Facts {
  return {
    buildId: 'b000000000000',
    receivedAt: noon,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    startTime,
    outcome,
  }
}

test.each([
  ['one build', 0, minute, 24],
  ['an hour', 60 * minute, 2 * minute, 31],
  ['a day', day, 30 * minute, 49],
  ['a week', 7 * day, 3 * 60 * minute, 57],
  ['a month', 30 * day, day, 31],
  ['forty years', 40 * 364 * day, 364 * day, 41],
  ['two hundred years', 200 * 364 * day, 4 * 364 * day, 51],
])('%s is divided into buckets of a round length', (_, span, step, count) => {
  const counted = timeBuckets([build(noon - span), build(noon)], 'UTC')
  expect([counted?.step, counted?.buckets.length]).toEqual([step, count])
})

test('a bar of days that does not begin at midnight says when it does', () => {
  const midnight = Date.UTC(2026, 9, 29)
  expect([
    daysLabel(midnight, day, 'utc'),
    daysLabel(midnight + 60 * minute, day, 'utc'),
    daysLabel(midnight - 60 * minute, 7 * day, 'utc'),
  ]).toEqual(['Oct 29', 'Oct 29, 01:00', 'Oct 28, 2026, 23:00'])
})

test('every build is counted once, by its outcome, at its start or else when it was received', () => {
  const builds = [
    build(noon - 90 * minute, 'failed'),
    build(noon - 89 * minute, 'succeeded'),
    build(undefined),
  ]
  const buckets = timeBuckets(builds, 'UTC')?.buckets ?? []
  expect(buckets.at(0)).toMatchObject({
    at: noon - 90 * minute,
    failed: 1,
    succeeded: 1,
    unknown: 0,
  })
  expect(buckets.at(-1)).toMatchObject({ at: noon, failed: 0, succeeded: 0, unknown: 1 })
})

test('days begin at midnight of the viewer', () => {
  const offset = 9 * 60 * minute
  const { buckets = [] } = timeBuckets([build(noon - 40 * day), build(noon)], 'Asia/Tokyo') ?? {}
  expect(buckets.every(({ at }) => (at + offset) % day === 0)).toBe(true)
})

test('a day on which clocks change is an hour longer, and has the builds of that hour', () => {
  const ofNewYork = (month: number, date: number, hours: number) =>
    Date.UTC(2026, month, date, hours)
  const late = ofNewYork(10, 2, 4) + 30 * minute
  const { buckets = [] } =
    timeBuckets([build(ofNewYork(9, 1, 12)), build(late, 'failed')], 'America/New_York') ?? {}
  const last = buckets.at(-1)
  expect(last).toMatchObject({ at: ofNewYork(10, 1, 4), end: ofNewYork(10, 2, 5), failed: 1 })
  expect(buckets.at(-2)?.at).toBe(ofNewYork(9, 31, 4))
})

test('of the time before the list goes back to no builds are drawn, as only those that took long are known', () => {
  const builds = [build(noon), build(noon - minute), build(noon - 40 * minute)]
  expect(sinceReached(builds, noon - 10 * minute)).toEqual([builds.slice(0, 2), 1])
  expect(timeBuckets(builds.slice(0, 2), 'UTC', 1)?.buckets).toHaveLength(2)
  expect(sinceReached(builds, undefined)).toEqual([builds, 0])
  expect(sinceReached(builds, noon + minute)).toEqual([builds, 0])
  expect(earlierText(1, '11:50')).toBe(
    'Not in the chart: 1 build that started before 11:50, as not all of those are loaded.',
  )
  expect(earlierText(0, '11:50')).toBeUndefined()
})

test('without a build there is nothing to draw', () => {
  expect(timeBuckets([], 'UTC')).toBeUndefined()
})

const year = 365 * day

test.each([
  ['one of 1970', [-Date.UTC(2026, 10, 20, 12)], { before: 1, after: 0 }],
  ['one of 9999', [8000 * year], { before: 0, after: 1 }],
  ['several at each end', [-56 * year, -50 * year, 7000 * year], { before: 2, after: 1 }],
  ['some of last year', [-year, -year], { before: 0, after: 0 }],
])('builds with %s are drawn by the day, and what is left out is counted', (_, far, left) => {
  const usual = Array.from({ length: 60 }, (_, index) => build(noon - index * 60 * minute))
  const builds = [...usual, ...far.map((ago) => build(noon + ago))]
  const counted = timeBuckets(builds, 'UTC')
  expect(counted).toMatchObject(left)
  const drawn = counted?.buckets.reduce((sum, { unknown }) => sum + unknown, 0)
  expect(drawn).toBe(builds.length - left.before - left.after)
  if (left.before + left.after > 0) expect(counted?.step).toBeLessThanOrEqual(2 * 60 * minute)
})

test('of three builds the one of 1970 and the one of 9999 are left out', () => {
  const builds = [build(0), build(noon), build(Date.UTC(9999, 0))]
  expect(timeBuckets(builds, 'UTC')).toMatchObject({ before: 1, after: 1, step: minute })
})

test.each([
  [{ before: 0, after: 0 }, undefined],
  [{ before: 1, after: 0 }, 'Not in the chart: 1 build long before the others.'],
  [
    { before: 1, after: 1200 },
    'Not in the chart: 1 build long before and 1,200 builds long after the others.',
  ],
])('%j is a note', (left, text) => {
  expect(outlyingText(left)).toBe(text)
})
