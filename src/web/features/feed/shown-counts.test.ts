import { expect, test } from 'vitest'
import { createFeedFilter } from '../../data/live/feed-filter.ts'
import type { Feed, FeedRow } from '../../data/live/feed-state.ts'
import { type ExampleBuild, exampleView, feedOf } from './example-view.test-support.ts'
import { predicateOf } from './filter.ts'
import { createShownCounts } from './shown-counts.ts'

const minute = 60_000
const now = 100 * minute

const shop = (outcome: 'succeeded' | 'failed', ago: number): ExampleBuild => ({
  timestamp: now - ago * minute,
  facts: { project: 'shop', outcome },
})
const other: ExampleBuild = {
  timestamp: now,
  tool: 'maven',
  facts: { project: 'other', outcome: 'failed' },
}

function countsOf(feed: Feed) {
  const isShop = predicateOf({ project: ['shop'] })
  const rows = createFeedFilter(feed, (row: FeedRow) => isShop(row))
  const shown = createShownCounts(feed, () => rows.getSnapshot().arrivals)
  return () => ({
    minutes: shown.minutes(now).filter((one) => one.succeeded + one.failed + one.unknown > 0),
    tools: Object.fromEntries(shown.tools()),
  })
}

test('bars, totals and shares count the builds that a filter lets through', () => {
  const builds = [shop('failed', 5), other, shop('succeeded', 0), shop('failed', 0)]
  const counts = countsOf(feedOf(exampleView(builds)).feed)()
  expect(counts.minutes).toEqual([
    { minute: now - 5 * minute, succeeded: 0, failed: 1, unknown: 0 },
    { minute: now, succeeded: 1, failed: 1, unknown: 0 },
  ])
  expect(counts.tools).toEqual({ gradle: 3 })
})

test('a build from the future, by a clock that is ahead, counts as of this minute', () => {
  const builds = [shop('failed', 0), shop('succeeded', -5)]
  expect(countsOf(feedOf(exampleView(builds)).feed)().minutes).toEqual([
    { minute: now, succeeded: 1, failed: 1, unknown: 0 },
  ])
})

test('they follow what arrives, what is learned and what is dropped', () => {
  const { feed, show } = feedOf(exampleView([shop('failed', 5), other, { timestamp: now }]))
  const counts = countsOf(feed)
  expect(counts().tools).toEqual({ gradle: 1 })
  const builds = [shop('failed', 5), other, shop('failed', 0), shop('succeeded', 0)]
  show(exampleView(builds, { version: 2, oldest: 2, dropped: 1, changed: [3] }))
  expect(counts()).toEqual({
    minutes: [{ minute: now, succeeded: 1, failed: 1, unknown: 0 }],
    tools: { gradle: 2 },
  })
})

test('without a filter the whole hour counts, also what is no longer kept', () => {
  const perMinute = [{ minute: now, succeeded: 7, failed: 0, unknown: 0 }]
  const { feed } = feedOf(exampleView([other], { perMinute }))
  expect(createShownCounts(feed, undefined).minutes(now)).toBe(perMinute)
})
