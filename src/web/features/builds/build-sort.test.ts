import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Facts } from '../../../protocol/facts.ts'
import { runs } from '../../../property-runs.test-support.ts'
import { nextSort, sortedBuilds } from './result-sort.tsx'

function build(buildId: string, facts: Partial<Facts> = {}) {
  return {
    facts: {
      buildId,
      receivedAt: 1,
      buildTool: 'gradle',
      buildToolVersion: '9',
      agentVersion: '4',
      ...facts,
    },
  }
}
const ids = (builds: readonly ReturnType<typeof build>[]) =>
  builds.map(({ facts }) => facts.buildId).join('')

test('durations are numbers, texts have no case, and what is unknown comes last either way', () => {
  const builds = [
    build('a', { durationMs: 900, project: 'shop' }),
    build('b', { project: 'Bank' }),
    build('c', { durationMs: 10_000, project: 'app' }),
    build('d', { durationMs: 0 }),
  ]
  const by = (column: string, isDescending: boolean) =>
    ids(sortedBuilds(builds, { column, isDescending }))
  expect(by('duration', true)).toBe('cadb')
  expect(by('duration', false)).toBe('dacb')
  expect(by('project', false)).toBe('cbad')
  expect(by('project', true)).toBe('abcd')
})

test('of equals the order stays, and nothing is lost or made', () => {
  const durations = fc.array(fc.option(fc.nat({ max: 5 }), { nil: undefined }), { maxLength: 60 })
  fc.assert(
    fc.property(durations, fc.boolean(), (values, isDescending) => {
      const builds = values.map((durationMs, at) => build(String(at), { durationMs }))
      const sorted = sortedBuilds(builds, { column: 'duration', isDescending })
      expect(new Set(sorted)).toEqual(new Set(builds))
      for (const [at, one] of sorted.entries()) {
        const next = sorted[at + 1]
        if (next === undefined || next.facts.durationMs !== one.facts.durationMs) continue
        expect(Number(one.facts.buildId)).toBeLessThan(Number(next.facts.buildId))
      }
    }),
    { numRuns: runs(200) },
  )
})

test('a column is sorted from the end that is looked for first, the other one, and not', () => {
  const longest = nextSort(undefined, 'duration')
  expect(longest).toEqual({ column: 'duration', isDescending: true })
  const shortest = nextSort(longest, 'duration')
  expect(shortest).toEqual({ column: 'duration', isDescending: false })
  expect(nextSort(shortest, 'duration')).toBeUndefined()
  expect(nextSort(shortest, 'project')).toEqual({ column: 'project', isDescending: false })
})

test('numbers in texts are sorted by their value, as in versions', () => {
  const builds = [
    build('a', { buildToolVersion: '10.0' }),
    build('b', { buildToolVersion: '9.2' }),
    build('c', { buildToolVersion: '9.10' }),
  ]
  expect(ids(sortedBuilds(builds, { column: 'tool', isDescending: false }))).toBe('bca')
  expect(ids(sortedBuilds(builds, { column: 'tool', isDescending: true }))).toBe('acb')
})
