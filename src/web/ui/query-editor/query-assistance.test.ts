import { expect, test } from 'vitest'
import type { Facts } from '../../../protocol/facts.ts'
import { parse } from '../../../search/parse.ts'
import { momentsIn, seenValues, withPastQuery } from './query-assistance.ts'

test('the same query in another spelling is remembered once, as it was run last', () => {
  expect(withPastQuery(['tag:a', 'user:b  AND tag:c'], 'user:b\n and tag:c')).toEqual([
    'user:b\n and tag:c',
    'tag:a',
  ])
})

test('nothing, and what is too long, is not remembered', () => {
  expect(withPastQuery(['tag:a'], '  ')).toEqual(['tag:a'])
  expect(withPastQuery(['tag:a'], `tag:${'x'.repeat(3000)}`)).toEqual(['tag:a'])
})

test('fifty are remembered', () => {
  const past = Array.from({ length: 60 }, (_, index) => `tag:${index}`).reduce<readonly string[]>(
    withPastQuery,
    [],
  )
  expect(past).toHaveLength(50)
  expect(past[0]).toBe('tag:59')
})

const build = (more: Partial<Facts>): Facts => ({
  buildId: 'abcdefghijklm',
  receivedAt: 0,
  buildTool: 'gradle',
  buildToolVersion: '9',
  agentVersion: '4',
  ...more,
})

const builds = [
  build({ project: 'shop', tags: ['CI', 'main'], values: [{ name: 'Git branch', value: 'main' }] }),
  build({ project: 'core', tags: ['CI'], values: [{ name: 'Git branch', value: 'pr-1' }] }),
  build({ project: 'shop', tags: [], values: [{ name: 'CI job', value: 'check' }] }),
  build({ project: null }),
  build({ buildTool: 'npm' }),
]

test('values are counted by builds, most first, then by name', () => {
  expect(seenValues(builds, 'project')).toEqual([
    { value: 'shop', count: 2 },
    { value: 'core', count: 1 },
  ])
  expect(seenValues(builds, 'tag')).toEqual([
    { value: 'CI', count: 2 },
    { value: 'main', count: 1 },
  ])
})

test('pairs have names first, then the values of one name', () => {
  expect(seenValues(builds, 'value').map(({ value }) => value)).toEqual(['Git branch', 'CI job'])
  expect(seenValues(builds, 'value', 'git Branch').map(({ value }) => value)).toEqual([
    'main',
    'pr-1',
  ])
})

test('a field of a tool reads what its builds have', () => {
  expect(seenValues(builds, 'gradle.rootProjectName')[0]).toEqual({ value: 'shop', count: 2 })
  expect(seenValues(builds, 'no.such.field')).toEqual([])
})

test.each([
  ['project:checkout', []],
  ['buildStartTime>-7d', ['relative']],
  ['-(tag:a or not buildStartTime:[2024-01-01 to 2024-02-01T00:00:00Z])', ['local', 'absolute']],
  ['buildStartTime:tomorrow nothing:2024-01-01', []],
])('%s names the moments %j', (text, types) => {
  expect(momentsIn(parse(text)).map(({ type }) => type)).toEqual(types)
})
