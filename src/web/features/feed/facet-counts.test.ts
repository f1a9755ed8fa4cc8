import { expect, test } from 'vitest'
import { exampleView } from './example-view.ts'
import { facetCounts } from './facet-counts.ts'

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

test('a chosen value can be seen, and taken back, though no build has it', () => {
  expect(facetCounts(exampleView(), { project: ['gone'] }, 'project')).toEqual([
    { value: 'gone', count: 0 },
  ])
})
