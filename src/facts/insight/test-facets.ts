import {
  type TestFacet,
  type TestFacetCounts,
  testFacets,
  type TestId,
  type TestList,
  type TestNarrowing,
} from '../../protocol/test-insight.ts'
import type { TestRunTable } from './test-runs.ts'

type Suite = ReturnType<TestRunTable['suiteOf']>

/** At most so many values of a facet are named, those with most tests first. */
const mostValues = 40

/** Counts tests by what they can be narrowed by, and finds those that they are narrowed to. */
export interface TestFacetFold {
  /**
   * Whether a test is among those that are narrowed to, or would be without one of the choices: of all
   * others nothing has to be known.
   */
  readonly isNear: (test: number) => boolean
  /** Counts a test that is near on these lists; true where it is among those that are narrowed to. */
  readonly count: (test: number, lists: readonly TestList[]) => boolean
  readonly counts: () => TestFacetCounts
}

/** Starts without tests. A value counts the tests there would be if it were chosen, so that choices compare. */
export function createTestFacets(
  table: TestRunTable,
  narrow: TestNarrowing,
  options: {
    readonly ownerOf: (test: TestId) => string | undefined
    readonly quarantined: readonly TestId[]
  },
): TestFacetFold {
  const quarantined = new Set(options.quarantined.map(table.testNumber))
  const owners = new Map<Suite, string>()
  const counted = new Map<TestFacet, Map<string, Partial<Record<TestList, number>>>>()
  const chosen = testFacets.filter((facet) => narrow[facet] !== undefined)

  function ownerIn(suite: Suite, test: number): string {
    const ownerOf = (): string => options.ownerOf(table.idOf(test)) ?? ''
    // Without a class the owner goes by the name of the test.
    if (suite.className === null) return ownerOf()
    const known = owners.get(suite) ?? ownerOf()
    owners.set(suite, known)
    return known
  }

  function valueOf(test: number, facet: TestFacet): string {
    const suite = table.suiteOf(test)
    switch (facet) {
      case 'project':
        return suite.project ?? ''
      case 'task':
        return suite.task
      case 'owner':
        return ownerIn(suite, test)
      case 'quarantine':
        return quarantined.has(test) ? 'quarantined' : ''
    }
  }

  function missed(test: number): readonly TestFacet[] {
    return chosen.filter((facet) => valueOf(test, facet) !== narrow[facet])
  }

  return {
    isNear: (test) => missed(test).length < 2,
    count: (test, lists) => {
      const [without, ...more] = missed(test)
      if (more.length > 0) return false
      for (const facet of without === undefined ? testFacets : [without]) {
        const values = counted.get(facet) ?? new Map<string, Partial<Record<TestList, number>>>()
        counted.set(facet, values)
        const value = valueOf(test, facet)
        const counts = values.get(value) ?? {}
        values.set(value, counts)
        for (const list of lists) counts[list] = (counts[list] ?? 0) + 1
      }
      return without === undefined
    },
    counts: () => {
      const of = (facet: TestFacet, list: TestList) =>
        [...(counted.get(facet) ?? [])]
          .flatMap(([value, { [list]: count = 0 }]) => (count === 0 ? [] : [{ value, count }]))
          .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
          .slice(0, mostValues)
      const ofList = (list: TestList) => ({
        project: of('project', list),
        task: of('task', list),
        owner: of('owner', list),
        quarantine: of('quarantine', list),
      })
      return {
        failing: ofList('failing'),
        newly: ofList('newly'),
        flaky: ofList('flaky'),
        slowest: ofList('slowest'),
        skipped: ofList('skipped'),
        all: ofList('all'),
      }
    },
  }
}
