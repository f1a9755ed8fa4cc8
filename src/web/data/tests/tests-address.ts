import * as z from 'zod/mini'
import { parsedJson } from '../../../protocol/parsed-text.ts'
import {
  mostTestBuilds,
  testFacets,
  TestId,
  type TestList,
  testLists,
  type TestNarrowing,
} from '../../../protocol/test-insight.ts'
import {
  choiceParam,
  numberParam,
  type SearchParam,
  searchState,
  textParam,
  zoneParam,
} from '../core/search-state.ts'

/** What the page of tests shows, as its address has it. */
export interface TestsAddress {
  /** Which builds, as it was typed; empty for all. */
  readonly query: string
  /** The zone of times in the query that are written without one. */
  readonly zone: string | undefined
  readonly builds: number
  /** Undefined: the first that has tests, once all builds are read. */
  readonly list: TestList | undefined
  /** Part of a name, class or task. */
  readonly find: string
  readonly narrow: TestNarrowing
  /** The place in the lists of the first row. */
  readonly from: number
  readonly test: TestId | undefined
}

const testParam: SearchParam<TestId | undefined> = {
  names: ['test'],
  read: (search) => {
    const { data } = TestParts.safeParse(parsedJson(search.get('test') ?? ''))
    if (data === undefined) return undefined
    const [project, task, className, name] = data
    return TestId.safeParse({ project, task, className, name }).data
  },
  write: (test) =>
    test === undefined
      ? []
      : [['test', JSON.stringify([test.project, test.task, test.className, test.name])]],
}

/** Tests that have no value are written as a blank, as empty values are left out. */
const narrowParam: SearchParam<TestNarrowing> = {
  names: testFacets,
  read: (search) =>
    Object.fromEntries(
      testFacets.flatMap((facet) => {
        const value = search.get(facet)
        return value === null ? [] : [[facet, value.slice(0, 4_000).trim()]]
      }),
    ),
  write: (narrow) =>
    testFacets.flatMap((facet) => {
      const value = narrow[facet]
      return value === undefined ? [] : [[facet, value === '' ? ' ' : value]]
    }),
}

const TestParts = z.tuple([z.nullable(z.string()), z.string(), z.nullable(z.string()), z.string()])

const { read: readList } = choiceParam('list', ['', ...testLists])
const listParam: SearchParam<TestList | undefined> = {
  names: ['list'],
  read: (search) => readList(search) || undefined,
  write: (list) => (list === undefined ? [] : [['list', list]]),
}

/** The address of the page; what can't be read there is the default. */
export const testsAddress = searchState<TestsAddress>({
  query: textParam('q'),
  zone: zoneParam('zone'),
  builds: numberParam('builds', { least: 1, most: mostTestBuilds, usual: 100 }),
  list: listParam,
  find: textParam('find'),
  narrow: narrowParam,
  from: numberParam('from', { least: 0, most: 1_000_000, usual: 0 }),
  test: testParam,
})

/** A link to the tests of the builds that a query finds, possibly to one of them. */
export function testsLink(shown: Partial<TestsAddress>): string {
  const search = testsAddress.update(new URLSearchParams(), shown).toString()
  return search === '' ? '/tests' : `/tests?${search}`
}
