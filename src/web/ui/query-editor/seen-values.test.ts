import { expect, test } from 'vitest'
import type { Facts } from '../../../protocol/facts.ts'
import { seenValues } from './seen-values.ts'

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
