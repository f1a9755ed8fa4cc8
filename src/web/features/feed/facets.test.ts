import { describe, expect, test } from 'vitest'
import { exampleRow } from './example-view.ts'
import { facetValues, isNarrowed, outcomeOf, predicateOf, toggled, without } from './facets.ts'

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

  test('is changed by a value at a time, and is open again without the last one', () => {
    const one = toggled({ user: ['alice'] }, 'tool', 'npm')
    expect(one).toEqual({ user: ['alice'], tool: ['npm'] })
    const two = toggled(one, 'tool', 'sbt')
    expect(two.tool).toEqual(['npm', 'sbt'])
    expect(toggled(toggled(two, 'tool', 'npm'), 'tool', 'sbt')).toEqual({ user: ['alice'] })
    expect(without(two, 'tool')).toEqual({ user: ['alice'] })
  })
})
