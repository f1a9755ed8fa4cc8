import * as z from 'zod/mini'
import { BuildId, EpochMs } from './build-message.ts'

/** Tests of a query's builds: `POST` of `TestsRequest`, a `TestsLine` per line (docs/design.md#tests-across-builds). */
export const testsPath = '/insight/tests'

/** As many builds one request may read, and as many rows of a list it gets. */
export const mostTestBuilds = 2_000
export const mostTestRows = 200

/** The lists of tests. `newly` are the failing ones that passed before, in the builds that were read. */
export const testLists = ['failing', 'newly', 'flaky', 'slowest', 'skipped', 'all'] as const
export type TestList = (typeof testLists)[number]

/** Names one test: all of it may be null but the name. */
export const TestId = z.object({
  project: z.nullable(z.string().check(z.maxLength(1_000))),
  /** The path of the task; where none is known, what the build was requested to do. */
  task: z.string().check(z.maxLength(4_000)),
  className: z.nullable(z.string().check(z.maxLength(1_000))),
  name: z.string().check(z.maxLength(1_000)),
})
export type TestId = z.infer<typeof TestId>

/** What names a test within its task. */
interface NamedTest {
  readonly className?: string | null | undefined
  readonly name: string
}

/** A test as pages name it, the class without its package: "ShopTest.adds()". */
export function testName({ className, name }: NamedTest): string {
  return fullTestName({ className: className?.split('.').at(-1), name })
}

/** The same with the package, where there is room or tests are searched: "com.example.ShopTest.adds()". */
export function fullTestName({ className, name }: NamedTest): string {
  return className ? `${className}.${name}` : name
}

/**
 * What test runners select a test by: "com.example.ShopTest.adds" of Gradle, with `#` before the method of
 * Maven. JUnit 5 reports `adds()` and `adds(int)[2]` of the method `adds`, and `adds (slow)()` of the method
 * `adds (slow)`, which is another one. Without a class its name alone.
 */
export function testFilter({ className, name }: NamedTest, before: '.' | '#'): string {
  if (!className) return name
  const plain = name.replace(/(?:\s*\[[^\]]*\]|(?<=\S)\([^()]*\))+$/, '')
  // Arguments may have brackets of their own.
  const nested = plain === name ? /^([^\s([]+)(?:\s*\[|\()/.exec(name) : null
  const [, method = plain] = nested ?? []
  return `${className}${before}${method === '' ? name : method}`
}

/** By what tests can be narrowed, besides their list and name. */
export const testFacets = ['project', 'task', 'owner', 'quarantine'] as const
export type TestFacet = (typeof testFacets)[number]

const FacetValue = z.optional(z.string().check(z.maxLength(4_000)))

/** One value each, empty for tests that have none. Those of `quarantine` are `quarantined` and none. */
export const TestNarrowing = z.looseObject({
  project: FacetValue,
  task: FacetValue,
  owner: FacetValue,
  quarantine: FacetValue,
})
export type TestNarrowing = z.infer<typeof TestNarrowing>

/** How many tests of each list have which values: at most 40 of a facet, the most frequent first. */
const TestFacetCounts = z.record(
  z.enum(testLists),
  z.record(z.enum(testFacets), z.array(z.looseObject({ value: z.string(), count: z.int() }))),
)
export type TestFacetCounts = z.infer<typeof TestFacetCounts>

export const TestsRequest = z.looseObject({
  /** In the search language, times with their zones; empty for every build. */
  query: z._default(z.string().check(z.maxLength(20_000)), ''),
  /** So many builds are read, the newest first. */
  builds: z._default(z.int().check(z.minimum(1), z.maximum(mostTestBuilds)), 100),
  /** Only tests whose class, name or task contains it, in whatever case. */
  search: z._default(z.string().check(z.maxLength(500)), ''),
  narrow: z._default(TestNarrowing, {}),
  /** From which place on the rows of each list are wanted. */
  offset: z._default(z.int().check(z.minimum(0)), 0),
  /** Of this one all runs are wanted. */
  test: z.optional(TestId),
  /** Only builds that were read before count: no events are read. */
  kept: z._default(z.boolean(), false),
})
export type TestsRequest = z.infer<typeof TestsRequest>

export const testOutcomes = ['passed', 'failed', 'flaky', 'skipped'] as const
export type TestOutcome = (typeof testOutcomes)[number]

/** A build that a run of a test points to by its place. */
export const ReadBuild = z.looseObject({
  buildId: BuildId,
  /** When it started, epoch ms. */
  at: EpochMs,
  branch: z.nullable(z.string()),
  commit: z.nullable(z.string()),
})
export type ReadBuild = z.infer<typeof ReadBuild>

/** A test over the builds that were read. Durations are ms. */
export const TestRow = z.looseObject({
  test: TestId,
  /** By the newest run that was not skipped, on its default branch where it ran there. */
  state: z.enum(['failing', 'passing', 'skipped']),
  /** Failing, and a build before passed. */
  isNew: z.boolean(),
  /** Of a failing one: the place of the first build of those in a row, and how many they are. */
  since: z.optional(z.int()),
  inARow: z.optional(z.int()),
  /** How often it is known to have failed and passed on the same commit. */
  flaky: z.int(),
  runs: z.int(),
  failed: z.int(),
  /** Null where no duration is known. */
  p95: z.nullable(z.number()),
  /** Medians of its newer and its older runs, where the newer ones are slower by a third or more. */
  slower: z.optional(z.object({ from: z.number(), to: z.number() })),
  /** What it threw last. */
  message: z.optional(z.string()),
  /** The newest runs, newest first: the place of the build, and the outcome. */
  history: z.array(z.tuple([z.int(), z.enum(testOutcomes)])),
  /** By the configuration. */
  owner: z.optional(z.string()),
})
export type TestRow = z.infer<typeof TestRow>

export const TestSummary = z.looseObject({
  /** Those that rows point to, the newest first. */
  builds: z.array(ReadBuild),
  /** How many tests are in each list, of those that are searched for and narrowed to. */
  counts: z.record(z.enum(testLists), z.int()),
  /** Of those that are searched for, however they are narrowed in the same facet. */
  facets: z.optional(TestFacetCounts),
  /** At most `mostTestRows` of each list. */
  lists: z.record(z.enum(testLists), z.array(z.int())),
  /** What the lists point to by place. */
  rows: z.array(TestRow),
})
export type TestSummary = z.infer<typeof TestSummary>

/** All runs of one test, the newest first. */
export const TestRuns = z.looseObject({
  row: TestRow,
  builds: z.array(ReadBuild),
  runs: z.array(
    z.looseObject({
      /** The place of the build. */
      build: z.int(),
      outcome: z.enum(testOutcomes),
      ms: z.nullable(z.number()),
      message: z.optional(z.string()),
    }),
  ),
})
export type TestRuns = z.infer<typeof TestRuns>

export const TestsProgress = z.looseObject({
  /** Builds that were read, of so many that were found so far. */
  read: z.int(),
  of: z.int(),
  /** More may still be found: the list isn't read to its end, nor as many as were requested found. */
  listing: z.optional(z.boolean()),
  /** Of those read, the ones that had been read before. */
  kept: z.int(),
  /** Of those read, the ones without events of tests, and the ones that don't match the query. */
  withoutTests: z.int(),
  unmatched: z.int(),
  /** Builds with more events than are read. */
  partial: z.int(),
  /** Builds whose events could not be read, and why the last one could not. */
  unreadable: z.int(),
  problem: z.optional(z.string()),
  /** Whether the query finds more builds than may be read. */
  more: z.boolean(),
  /** False where the build server doesn't search, so that the query is evaluated on the events. */
  searched: z.boolean(),
  /** They come from the export stream, as the list of builds can't be read. */
  exported: z.optional(z.boolean()),
  /** The build server is too busy (429, 503), and is requested again. */
  busy: z.optional(z.boolean()),
})
export type TestsProgress = z.infer<typeof TestsProgress>

/** A line of the response. The last one is `done`, or `failed` where the builds could not be listed. */
export const TestsLine = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('progress'), progress: TestsProgress }),
  z.looseObject({ kind: z.literal('summary'), summary: TestSummary }),
  z.looseObject({ kind: z.literal('test'), test: z.nullable(TestRuns) }),
  z.looseObject({ kind: z.literal('done'), progress: TestsProgress }),
  z.looseObject({
    kind: z.literal('failed'),
    progress: TestsProgress,
    problem: z.string(),
    /** The status of the failure: that of the build server where it responded. */
    status: z.optional(z.int()),
    /** Its Retry-After. */
    retryAfterMs: z.optional(z.number()),
  }),
])
export type TestsLine = z.infer<typeof TestsLine>
