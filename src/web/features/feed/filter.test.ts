import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { feedAddress } from './feed-address.ts'
import { exampleRow, exampleView } from './example-view.test-support.ts'
import type { FeedRow } from '../../data/live/feed-state.ts'
import {
  facets,
  facetValues,
  type Filter,
  isNarrowed,
  outcomeOf,
  predicateOf,
  undecidedBy,
} from './filter.ts'
import { facetCounts, toggled, without } from './filter-menu.tsx'

const checkout = exampleRow(1, {
  tool: 'maven',
  facts: { project: 'checkout', user: 'alice', tags: ['CI', 'main'], outcome: 'failed' },
})
const onItsWay = exampleRow(2)

test('a row has the values of its build at once, and those of its facts when they came', () => {
  expect(facetValues(checkout, 'tag')).toEqual(['CI', 'main'])
  expect(facetValues(checkout, 'project')).toEqual(['checkout'])
  expect(facetValues(onItsWay, 'tool')).toEqual(['gradle'])
  expect(facetValues(onItsWay, 'project')).toEqual([])
})

test('an outcome is unknown before the facts came, and where they do not say', () => {
  expect(outcomeOf(onItsWay)).toBe('unknown')
  expect(outcomeOf(exampleRow(1, { facts: { outcome: null } }))).toBe('unknown')
  expect(outcomeOf(checkout)).toBe('failed')
})

describe('a filter', () => {
  test('without facets lets everything through', () => {
    expect(isNarrowed({})).toBe(false)
    expect(predicateOf({})(onItsWay)).toBe(true)
  })

  test('takes any value within a facet', () => {
    expect(predicateOf({ tool: ['gradle', 'maven'] })(checkout)).toBe(true)
    expect(predicateOf({ tag: ['nightly', 'CI'] })(checkout)).toBe(true)
    expect(predicateOf({ tag: ['nightly'] })(checkout)).toBe(false)
  })

  test('takes all facets together', () => {
    expect(predicateOf({ tool: ['maven'], outcome: ['failed'] })(checkout)).toBe(true)
    expect(predicateOf({ tool: ['maven'], outcome: ['succeeded'] })(checkout)).toBe(false)
  })

  test('does not take a build on trust whose facts are on their way', () => {
    expect(predicateOf({ project: ['checkout'] })(onItsWay)).toBe(false)
    expect(predicateOf({ outcome: ['unknown'] })(onItsWay)).toBe(true)
  })

  test('keeps back what may match once its facts come, and says which', () => {
    const isUndecided = (filter: Filter, row: FeedRow): boolean => undecidedBy(filter)(row)
    expect(isUndecided({ project: ['checkout'] }, onItsWay)).toBe(true)
    expect(isUndecided({ project: ['checkout'], tool: ['gradle'] }, onItsWay)).toBe(true)
    expect(isUndecided({ project: ['checkout'], tool: ['maven'] }, onItsWay)).toBe(false)
    expect(isUndecided({ outcome: ['unknown'] }, onItsWay)).toBe(false)
    expect(isUndecided({ project: ['shop'] }, checkout)).toBe(false)
  })

  test('is changed by a value at a time, and is open again without the last one', () => {
    const one = toggled({ user: ['alice'] }, 'tool', 'npm')
    expect(one).toEqual({ user: ['alice'], tool: ['npm'] })
    const two = toggled(one, 'tool', 'sbt')
    expect(two.tool).toEqual(['npm', 'sbt'])
    expect(toggled(toggled(two, 'tool', 'npm'), 'tool', 'sbt')).toEqual({ user: ['alice'] })
    expect(without(two, 'tool')).toEqual({ user: ['alice'] })
  })
})

function read(search: string): Filter {
  return feedAddress.read(new URLSearchParams(search)).filter
}

function write(filter: Filter, search = ''): string {
  return feedAddress.update(new URLSearchParams(search), { filter }).toString()
}

test('a filter is written as a person would', () => {
  expect(write({ outcome: ['failed'], tool: ['gradle'] })).toBe('tool=gradle&outcome=failed')
})

test('values repeat, empty and doubled ones are no values', () => {
  expect(read('tool=gradle&tool=maven&tool=gradle&user=')).toEqual({ tool: ['gradle', 'maven'] })
})

test('what is not of the filter stays in the address', () => {
  expect(write({ tag: ['CI'] }, 'page=2&tool=npm')).toBe('page=2&tag=CI')
  expect(read('page=2')).toEqual({})
})

test('every filter survives its address', () => {
  const values = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 })
  const filters = fc.record(Object.fromEntries(facets.map((facet) => [facet, values])), {
    requiredKeys: [],
  })
  fc.assert(
    fc.property(filters, (filter) => {
      expect(read(write(filter, 'build=abc'))).toEqual(filter)
    }),
  )
})

const view = exampleView([
  { tool: 'maven', facts: { outcome: 'failed', tags: ['CI'] } },
  { tool: 'gradle', facts: { outcome: 'failed', tags: ['CI', 'main'] } },
  { tool: 'gradle', facts: { outcome: 'succeeded', tags: [] } },
  { tool: 'npm' },
])

test('values are counted, most first, then by name', () => {
  expect(facetCounts(view, {}, 'tool')).toEqual([
    { value: 'gradle', count: 2 },
    { value: 'maven', count: 1 },
    { value: 'npm', count: 1 },
  ])
  expect(facetCounts(view, {}, 'tag')).toEqual([
    { value: 'CI', count: 2 },
    { value: 'main', count: 1 },
  ])
})

test('the other facets narrow what is counted, the facet itself does not', () => {
  expect(facetCounts(view, { outcome: ['failed'], tool: ['npm'] }, 'tool')).toEqual([
    { value: 'gradle', count: 1 },
    { value: 'maven', count: 1 },
    { value: 'npm', count: 0 },
  ])
})

test('every outcome can be chosen before a build has it', () => {
  expect(facetCounts(exampleView([{ facts: { outcome: 'succeeded' } }]), {}, 'outcome')).toEqual([
    { value: 'succeeded', count: 1 },
    { value: 'failed', count: 0 },
  ])
})

test('builds that the followed query does not let through are not counted', () => {
  const isFailed = (row: FeedRow) => outcomeOf(row) === 'failed'
  expect(facetCounts(view, {}, 'tool', isFailed)).toEqual([
    { value: 'gradle', count: 1 },
    { value: 'maven', count: 1 },
  ])
})

test('a value that does not fit into a URL is not offered', () => {
  const long = exampleView([
    { facts: { project: 'x'.repeat(10_000) } },
    { facts: { project: 'a' } },
  ])
  expect(facetCounts(long, {}, 'project')).toEqual([{ value: 'a', count: 1 }])
})

test('a chosen value can be seen, and taken back, though no build has it', () => {
  expect(facetCounts(exampleView(), { project: ['gone'] }, 'project')).toEqual([
    { value: 'gone', count: 0 },
  ])
})
