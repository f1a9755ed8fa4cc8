import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Facts } from '../protocol/facts.ts'
import { bothOutcomes, flakySince } from './tile-flakiness.ts'

const hour = 60 * 60 * 1000

/** Builds of a few branches and commits over several days, the newest first. */
const builds = fc
  .array(
    fc.record({
      outcome: fc.constantFrom('succeeded' as const, 'failed' as const),
      branch: fc.constantFrom('main', 'other', undefined),
      commit: fc.constantFrom('c1', 'c2', undefined),
      hours: fc.integer({ min: 0, max: 14 }),
    }),
    { maxLength: 30 },
  )
  .map((all) => {
    let receivedAt = Date.UTC(2026, 0, 5)
    return all.map(({ outcome, branch, commit, hours }, index): Facts => {
      receivedAt -= hours * hour
      const values = [
        ...(branch === undefined ? [] : [{ name: 'Git branch', value: branch }]),
        ...(commit === undefined ? [] : [{ name: 'Git commit id', value: commit }]),
      ]
      const tool = { buildTool: 'gradle', buildToolVersion: '9', agentVersion: '4' }
      return { buildId: `b${index}`, receivedAt, outcome, values, ...tool }
    })
  })

test('it was flaky whenever something had had both outcomes by then', () => {
  fc.assert(
    fc.property(builds, (finished) => {
      const byThen = finished.map((_, index) => bothOutcomes(finished.slice(index)) !== undefined)
      expect(flakySince(finished)).toEqual(byThen)
    }),
    { numRuns: 1000 },
  )
})

test('what has had both outcomes has builds within a day of the newest that say so', () => {
  fc.assert(
    fc.property(builds, (finished) => {
      const found = bothOutcomes(finished)
      if (found === undefined) return
      const name = found.of === 'commit' ? 'Git commit id' : 'Git branch'
      const recent = finished.filter(
        ({ receivedAt }) => receivedAt > (finished[0]?.receivedAt ?? 0) - 24 * hour,
      )
      const outcomes = recent.flatMap(({ values, outcome }) =>
        values?.some((one) => one.name === name && one.value === found.name) ? [outcome] : [],
      )
      expect(new Set(outcomes)).toEqual(new Set(['succeeded', 'failed']))
    }),
  )
})
