import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  testFacets,
  type TestId,
  testLists,
  type TestNarrowing,
} from '../../protocol/test-insight.ts'
import { runs } from '../../property-runs.test-support.ts'
import { createTestHistory } from './test-history.ts'
import type { TestedBuild } from './test-results.ts'

const suite = fc.record({
  task: fc.constantFrom(':test', ':lib:test'),
  className: fc.constantFrom('shop.A', 'shop.B', 'bank.C', null),
  outcomes: fc.stringMatching(/^[pfrs]{1,4}$/),
})

const builds = fc
  .array(
    fc.record({
      project: fc.constantFrom('checkout', 'payments', null),
      commit: fc.constantFrom('1', '2'),
      suites: fc.array(suite, { maxLength: 4 }),
    }),
    { maxLength: 8 },
  )
  .map((all) =>
    all.map(({ project, commit, suites }, index): TestedBuild => ({
      buildId: `b${index}`,
      ...{ at: index, project, branch: 'main', commit, work: 'check', requested: ['check'] },
      suites: suites.map(({ task, className, outcomes }) => ({
        ...{ task, className, outcomes },
        names: Array.from(outcomes, (_, place) => `t${place}`),
        ms: Array.from(outcomes, () => 7),
      })),
    })),
  )

const choice = (...values: readonly string[]) => fc.constantFrom(undefined, '', ...values)
const narrowing = fc.record({
  project: choice('checkout', 'payments'),
  task: choice(':test'),
  owner: choice('team-shop', 'team-bank'),
  quarantine: choice('quarantined'),
})

const ownerOf = ({ className, name }: TestId): string | undefined =>
  className === null
    ? name === 't0'
      ? 'team-bank'
      : undefined
    : className.startsWith('shop')
      ? 'team-shop'
      : undefined

const quarantined: readonly TestId[] = [
  { project: 'checkout', task: ':test', className: 'shop.A', name: 't0' },
  { project: null, task: ':test', className: null, name: 't1' },
  { project: 'gone', task: ':test', className: 'shop.A', name: 't0' },
]

function summaryOf(all: readonly TestedBuild[], narrow: TestNarrowing) {
  const history = createTestHistory({ ownerOf })
  for (const build of all) history.add(build)
  const steps = history.summary({ search: '', offset: 0, limit: 100, narrow, quarantined })
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

test('a value of a facet counts the tests that there are once it is chosen', () => {
  fc.assert(
    fc.property(builds, narrowing, (all, chosen) => {
      const { facets, counts, rows } = summaryOf(all, chosen)
      for (const facet of testFacets) {
        const found = new Set(Object.values(facets ?? {}).flatMap((one) => one[facet]))
        for (const value of new Set([...found].map((one) => one.value))) {
          const narrowed = summaryOf(all, { ...chosen, [facet]: value }).counts
          for (const list of testLists) {
            const count = facets?.[list][facet].find((one) => one.value === value)?.count ?? 0
            expect([facet, value, list, count]).toEqual([facet, value, list, narrowed[list]])
          }
        }
        if (chosen[facet] !== undefined) continue
        const sum = facets?.all[facet].reduce((total, { count }) => total + count, 0)
        expect(sum).toBe(counts.all)
      }
      for (const { test: id, owner } of rows) {
        expect([chosen.project ?? id.project ?? '', chosen.task ?? id.task]).toEqual([
          id.project ?? '',
          id.task,
        ])
        expect(chosen.owner ?? owner ?? '').toBe(owner ?? '')
      }
    }),
    { numRuns: runs(150) },
  )
})
