import { expect, test } from 'vitest'
import type { FeedView } from '../../data/live/feed-state.ts'
import { type ExampleBuild, exampleStatus, exampleView } from './example-view.test-support.ts'
import { someRows } from './row-list.ts'
import { feedSentence, isOutdatedAt, lastMinute } from './feed-sentence.ts'

const now = 1_000_000

function sentence(builds: readonly ExampleBuild[], more: Partial<FeedView> = {}): string {
  return feedSentence(exampleView(builds, { lastHeardAt: now, ...more }), now)
}

function build(ageMs: number, facts?: NonNullable<ExampleBuild['facts']>): ExampleBuild {
  return { timestamp: now - ageMs, ...(facts && { facts }) }
}

test('the last minute in one sentence', () => {
  expect(
    sentence([
      build(5000, { outcome: 'failed', project: 'checkout' }),
      build(4000, { outcome: 'succeeded', project: 'checkout' }),
    ]),
  ).toBe('2 builds in the last minute, 1 failed. Busiest: checkout.')
  expect(sentence([build(5000, { outcome: 'succeeded' })])).toBe(
    '1 build in the last minute, none failed.',
  )
})

test('outcomes that are not known yet are not passed over', () => {
  expect(sentence([build(5000)])).toBe('1 build in the last minute, none failed, 1 unknown so far.')
})

test('a quiet minute shows when the last build came', () => {
  expect(sentence([build(300_000)])).toBe(
    'No builds in the last minute. The last one arrived 5 min ago.',
  )
  expect(sentence([])).toBe('No builds in the last hour.')
})

test('the clock of the proxy counts, not that of this browser', () => {
  expect(sentence([build(300_000)], { clockDifference: -295_000 })).toBe(
    '1 build in the last minute, none failed, 1 unknown so far.',
  )
})

test.each<Partial<FeedView>>([
  { connection: { state: 'retrying', nextAttemptAt: now, reason: 'Lost.' } },
  { connection: { state: 'signed-out', reason: 'Over.' } },
  { upstream: exampleStatus({ upstream: 'retrying' }) },
  { upstream: exampleStatus({ upstream: 'refused' }) },
  { lastHeardAt: now - 120_000 },
])('nothing is claimed of the last minute while it cannot be known (%j)', (more) => {
  expect(sentence([build(300_000)], more)).toBe(
    'Not up to date: the newest build shown arrived 5 min ago.',
  )
  expect(sentence([], more)).toBe('No builds to show.')
})

test('a first connection is called that', () => {
  expect(sentence([], { connection: { state: 'connecting' }, lastHeardAt: undefined })).toBe(
    'Connecting to the live feed.',
  )
})

test('builds that the proxy holds are awaited for a few seconds after it has lost the build server', () => {
  const more = (ms: number): Partial<FeedView> => ({
    connection: { state: 'catching-up', received: 0, left: undefined },
    upstream: exampleStatus({ upstream: 'retrying', since: now - ms }),
  })
  expect(sentence([], more(4000))).toBe('Catching up.')
  expect(sentence([], more(5000))).toBe('No builds to show.')
})

test('what waits for the build server is not called catching up', () => {
  const more: Partial<FeedView> = {
    connection: { state: 'catching-up', received: 0, left: undefined },
    upstream: exampleStatus({ upstream: 'retrying' }),
  }
  expect(sentence([], more)).toBe('No builds to show.')
  expect(sentence([build(300_000)], more)).toBe(
    'Not up to date: the newest build shown arrived 5 min ago.',
  )
})

test('a build server that has not responded yet is being connected to', () => {
  const connection = { state: 'catching-up', received: 0, left: undefined } as const
  const upstream = exampleStatus({ upstream: 'connecting' })
  expect(sentence([], { connection, upstream })).toBe('Connecting to the build server.')
  expect(sentence([], { connection: { ...connection, received: 3 }, upstream })).toBe(
    'Catching up, 3 builds so far.',
  )
})

test('rows are out of date once nothing newer can be had, not while they come in', () => {
  const isOld = (more: Partial<FeedView>) =>
    isOutdatedAt(exampleView([build(5000)], { lastHeardAt: now, ...more }), now)
  const catchingUp = { state: 'catching-up', received: 1, left: 9 } as const
  expect(isOld({})).toBe(false)
  expect(isOld({ connection: catchingUp })).toBe(false)
  expect(isOld({ upstream: exampleStatus({ upstream: 'retrying' }) })).toBe(true)
  expect(isOld({ connection: catchingUp, upstream: exampleStatus({ upstream: 'refused' }) })).toBe(
    true,
  )
  expect(isOld({ connection: { state: 'retrying', nextAttemptAt: now, reason: 'Lost.' } })).toBe(
    true,
  )
})

test('catching up shows how far', () => {
  const connection = { state: 'catching-up', received: 4200, left: 56_800 } as const
  expect(sentence([build(5000)], { connection })).toBe('Catching up, about 56,800 to go.')
})

test('the sentence is about the builds that a filter or a query lets through', () => {
  const view = exampleView(
    [
      build(50_000, { outcome: 'failed', project: 'shop' }),
      build(40_000, { outcome: 'succeeded', project: 'checkout' }),
      build(30_000, { outcome: 'failed', project: 'shop' }),
    ],
    { lastHeardAt: now },
  )
  const of = (
    arrivals: readonly number[],
    at = now,
    narrowed: 'matching' | 'possibly matching' = 'matching',
  ) => feedSentence(view, at, { rows: someRows(arrivals, view.oldest), narrowed })
  expect(of([2])).toBe('1 matching build in the last minute, none failed.')
  expect(of([1, 3])).toBe('2 matching builds in the last minute, 2 failed. Busiest: shop.')
  expect(of([1], now + 15_000)).toBe(
    'No matching builds in the last minute. The last one arrived 1 min ago.',
  )
  expect(of([])).toBe('No builds match.')
  expect(of([1], now + 15_000, 'possibly matching')).toBe(
    'No possibly matching builds in the last minute. The last one arrived 1 min ago.',
  )
})

const minuteNow = 100_000

test('builds of the last minute are counted, older ones are not', () => {
  const view = exampleView([
    { timestamp: minuteNow - 60_000, facts: { outcome: 'failed' } },
    { timestamp: minuteNow - 59_999, facts: { outcome: 'failed' } },
    { timestamp: minuteNow - 10_000, facts: { outcome: 'succeeded' } },
    { timestamp: minuteNow },
  ])
  expect(lastMinute(view, minuteNow)).toMatchObject({ builds: 3, failed: 1, unknown: 1 })
})

test('a build that comes late does not hide those before it', () => {
  const view = exampleView([
    { timestamp: minuteNow - 10_000 },
    { timestamp: minuteNow - 80_000 },
    { timestamp: minuteNow - 5000 },
    { timestamp: minuteNow - 90_000 },
  ])
  expect(lastMinute(view, minuteNow).builds).toBe(2)
})

test('where the clock that stamps builds is ahead, a minute is still a minute', () => {
  const ahead = 600_000
  const view = exampleView(
    [-300_000, -50_000, -10_000].map((at) => ({ timestamp: minuteNow + ahead + at })),
  )
  expect(lastMinute(view, minuteNow).builds).toBe(2)
})

test.each([3, 24 * 365 * 5])(
  'what is dated %d hours ahead is not of the last minute, and hides nothing that is',
  (hours) => {
    const ahead = { timestamp: minuteNow + hours * 3_600_000 }
    const near = { timestamp: minuteNow - 10_000 }
    expect(lastMinute(exampleView([near, ahead]), minuteNow).builds).toBe(1)
    expect(lastMinute(exampleView([ahead, near]), minuteNow).builds).toBe(1)
    expect(lastMinute(exampleView([ahead]), minuteNow).builds).toBe(0)
  },
)

test('the busiest project has the most builds; equals go by name', () => {
  const projects = ['web', 'core', 'web', 'core', 'docs']
  const view = exampleView(
    projects.map((project) => ({ timestamp: minuteNow, facts: { project } })),
  )
  expect(lastMinute(view, minuteNow).busiest).toBe('core')
})

test.each(['', '  '])('builds of a project named %j make none busy', (project) => {
  const facts = { project }
  const view = exampleView([1, 2].map(() => ({ timestamp: minuteNow, facts })))
  expect(lastMinute(view, minuteNow).busiest).toBeUndefined()
})

test('a project with a single build is not called busy', () => {
  const view = exampleView([{ timestamp: minuteNow, facts: { project: 'web' } }])
  expect(lastMinute(view, minuteNow).busiest).toBeUndefined()
})
