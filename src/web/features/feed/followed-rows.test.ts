import { expect, test } from 'vitest'
import { compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import type { FeedRow } from '../../data/live/feed-state.ts'
import type { Verdict } from '../../domain/build-table/build-columns.tsx'
import { type ExampleBuild, exampleRow, exampleView, feedOf } from './example-view.test-support.ts'
import { createFollowedRows, followSentence, matchOf } from './followed-rows.ts'

/** A row of the project shop matches; which project it is may come later, or never. */
function isShop({ facts }: FeedRow): Verdict {
  if (facts === undefined) return 'waiting'
  if (facts.project === undefined) return 'unknown'
  return facts.project === 'shop' ? 'yes' : 'no'
}

const shop: ExampleBuild = { facts: { project: 'shop' } }
const core: ExampleBuild = { facts: { project: 'core' } }
const unknown: ExampleBuild = { facts: {} }

test('builds of which not enough is known are listed and counted, never dropped', () => {
  const { feed } = feedOf(exampleView([shop, core, {}, unknown]))
  const rows = createFollowedRows(feed, isShop)
  expect(rows.getSnapshot().arrivals).toEqual([1, 3, 4])
  expect(rows.counts()).toEqual({ matching: 1, waiting: 1, unknown: 1 })
})

test('when its facts come a build stays or leaves', () => {
  const { feed, show } = feedOf(exampleView([{}, {}]))
  const rows = createFollowedRows(feed, isShop)
  expect(rows.counts()).toEqual({ matching: 0, waiting: 2, unknown: 0 })
  show(exampleView([shop, core], { version: 2, changed: [1, 2] }))
  expect(rows.getSnapshot().arrivals).toEqual([1])
  expect(rows.counts()).toEqual({ matching: 1, waiting: 0, unknown: 0 })
})

test('builds that are no longer kept are no longer counted', () => {
  const { feed, show } = feedOf(exampleView([{}, {}, shop]))
  const rows = createFollowedRows(feed, isShop)
  expect(rows.counts().waiting).toBe(2)
  show(exampleView([{}, {}, shop, shop], { version: 2, oldest: 2 }))
  expect(rows.counts()).toEqual({ matching: 2, waiting: 1, unknown: 0 })
})

function match(query: string, build: ExampleBuild): string {
  return matchOf(exampleRow(1, build), compile(parse(query), { now: 0, timeZone: 'UTC' }))
}

test('a row matches or not where its facts are known', () => {
  expect(match('project:shop', { facts: { project: 'shop' } })).toBe('yes')
  expect(match('project:shop', { facts: { project: null } })).toBe('no')
})

test('what a build announced of itself needs no facts', () => {
  expect(match('buildTool:maven', { tool: 'maven' })).toBe('yes')
  expect(match('buildTool:maven project:shop', { tool: 'gradle' })).toBe('no')
})

test('a row waits for its facts, and stays unknown where they leave it open', () => {
  expect(match('project:shop', {})).toBe('waiting')
  expect(match('project:shop', { facts: { user: 'ann' } })).toBe('unknown')
})

test.each([
  [{ matching: 12, waiting: 0, unknown: 0 }, '12 builds match.'],
  [{ matching: 1, waiting: 1, unknown: 0 }, '1 build matches, 1 pending.'],
  [{ matching: 0, waiting: 2, unknown: 1400 }, 'No builds match, 2 pending, 1,400 unknown.'],
])('%j is one sentence', (counts, sentence) => {
  expect(followSentence(counts)).toBe(sentence)
})
