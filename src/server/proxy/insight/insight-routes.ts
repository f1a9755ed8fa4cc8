import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import { createBuildFailures, failureEventTypes } from '../../../facts/insight/build-failures.ts'
import { type TestHistoryOptions, testOwners } from '../../../facts/insight/test-history.ts'
import { testEventTypes } from '../../../facts/test-cases.ts'
import { ruledBranch } from '../../../facts/tile-branch.ts'
import {
  buildPath,
  cacheKey,
  cacheModel,
  readListedBuild,
  toolsWithCache,
} from '../../../protocol/build-data.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { BuildFailure, Facts } from '../../../protocol/facts.ts'
import {
  BuildsRequest,
  CacheCounts,
  type CachesLine,
  cachesPath,
  type EarlierBuilds,
  earlierBuildsPath,
  EarlierBuildsQuery,
  type FactsLine,
  factsPath,
  type FailuresLine,
  failuresPath,
} from '../../../protocol/insight.ts'
import { ndjsonLine } from '../../../protocol/ndjson.ts'
import { parsedJson } from '../../../protocol/parsed-text.ts'
import { problem, ProblemError, problemError } from '../../../protocol/problem.ts'
import type { SharedConfig } from '../../../protocol/proxy-config.ts'
import { type TestId, testsPath, TestsRequest } from '../../../protocol/test-insight.ts'
import { listQuarantined } from '../../store/quarantine.ts'
import { eventFacts } from '../live/fetch-facts.ts'
import { fetchJson } from '../live/upstream-fetch.ts'
import { methodNotAllowed } from '../problem-response.ts'
import { readJsonBody } from '../read-request.ts'
import type { ProxyEnv } from '../sessions.ts'
import { createSearchList } from '../shared-search/shared-search-list.ts'
import { createBuildWalk } from './build-walk.ts'
import {
  type BuildReading,
  createInsights,
  type InsightReader,
  type InsightsOptions,
  readingOfEvents,
} from './insights.ts'
import { createTestLines, testReading } from './test-lines.ts'

/** Why builds failed. What Bazel, npm, sbt and Python builds say of it stands in their attributes. */
const failures: BuildReading<BuildFailure[]> = {
  name: 'failures',
  version: 3,
  schema: z.array(BuildFailure),
  read: readingOfEvents({
    eventTypes: failureEventTypes,
    maxBytes: 4 * 1024 * 1024,
    start: () => {
      const found = createBuildFailures()
      return {
        take: found.take,
        result: found.failures,
        further: () => (found.lacksTests() ? failedTests : undefined),
      }
    },
  }),
}

/** Which tests failed: some 30,000 of a build. Most builds fail of something else. */
const failedTests = { eventTypes: testEventTypes, maxBytes: 16 * 1024 * 1024 }

/** All that is read of builds' events, for the routes and for the live feed. */
export type BuildInsights = ReturnType<typeof createBuildInsights>

/** A reader for each reading. */
export function createBuildInsights(
  options: InsightsOptions & {
    /** Whose tests are whose, and which branches they are judged on. */
    readonly shared?: Pick<SharedConfig, 'tests' | 'defaultBranches'>
  },
) {
  const { reader } = createInsights(options)
  const { client, clock, random, shared, database } = options
  // What of a listed build can't be read is reported where builds are searched for.
  const list = createSearchList(client, clock, () => undefined)
  const walk = createBuildWalk({ client, clock, random, list })
  const projects = shared?.defaultBranches ?? {}
  const quarantined = async (): Promise<readonly TestId[]> => {
    if (database === undefined) return []
    try {
      return (await listQuarantined(database, clock.now())).map(({ test }) => test)
    } catch {
      // The list of quarantined tests reports it where it is shown.
      return []
    }
  }
  const history: TestHistoryOptions = {
    ownerOf: testOwners(shared?.tests.owners ?? {}),
    defaultBranchOf: (project) => ruledBranch({ projects }, project.toLowerCase()),
  }
  return {
    failures: reader(failures),
    facts: reader(factsReading),
    earlierBuilds: walk.earlier,
    caches: reader(cacheReading),
    tests: createTestLines({ walk, reader: reader(testReading), clock, history, quarantined }),
  }
}

/** The routes below `/insight` (docs/design.md#proxy-routes), behind the session. */
export function insightRoutes(insights: BuildInsights, clock: Clock): Hono<ProxyEnv> {
  const { respond } = createInsightLines(clock)
  const app = new Hono<ProxyEnv>()
  /** A line for each build, with what was read or why nothing was. */
  const answerByBuild = <Result>(
    path: string,
    reader: InsightReader<Result>,
    lineOf: (buildId: string, result: Result) => FailuresLine | CachesLine | FactsLine,
  ): void => {
    app.post(path, async (c) => {
      const { buildIds } = await readInsightRequest(c, BuildsRequest)
      return respond(c, async function* (signal) {
        for await (const insight of reader.read(buildIds, signal)) {
          yield 'problem' in insight ? insight : lineOf(insight.buildId, insight.result)
        }
      })
    })
    app.all(path, () => methodNotAllowed('POST'))
  }
  answerByBuild(failuresPath, insights.failures, (buildId, failures) => ({ buildId, failures }))
  answerByBuild(cachesPath, insights.caches, (buildId, cache) => ({ buildId, cache }))
  answerByBuild(factsPath, insights.facts, (buildId, facts) => ({ buildId, facts }))
  app.get(earlierBuildsPath, async (c) => {
    const { before, most } = asExpected(EarlierBuildsQuery.safeParse(c.req.query()))
    const found: EarlierBuilds = await insights.earlierBuilds(before, most, c.req.raw.signal)
    return c.json(found)
  })
  app.all(earlierBuildsPath, () => methodNotAllowed('GET'))
  app.post(testsPath, async (c) =>
    respond(c, insights.tests(await readInsightRequest(c, TestsRequest))),
  )
  app.all(testsPath, () => methodNotAllowed('POST'))
  return app
}

/** Makes responses of lines that become known one by one. */
interface InsightLines {
  /**
   * NDJSON of `lines`, each as soon as it is there and no faster than it is taken; blank lines keep
   * the connection alive. It ends when the browser leaves or with the session, which aborts the
   * signal; a line that is missing then was not known. Throws a ProblemError 503 with a Retry-After
   * while too many are open.
   */
  readonly respond: (
    c: Context<ProxyEnv>,
    lines: (signal: AbortSignal) => AsyncGenerator<unknown, void, undefined>,
  ) => Response
}

/** One for all routes of a proxy: they share how many responses may be open. */
function createInsightLines(clock: Clock): InsightLines {
  let open = 0
  return {
    respond: (c, lines) => {
      if (open >= mostOpen) throw tooMany()
      open += 1
      const left = new AbortController()
      const sources = [c.req.raw.signal, c.get('session').ended]
      const leave = (): void => {
        if (left.signal.aborted) return
        left.abort()
        open -= 1
        for (const signal of sources) signal.removeEventListener('abort', leave)
      }
      for (const signal of sources) signal.addEventListener('abort', leave)
      if (sources.some(({ aborted }) => aborted)) leave()
      const iterator = lines(left.signal)
      const encoder = new TextEncoder()
      let next: Promise<IteratorResult<unknown, void>> | undefined
      const body = new ReadableStream<Uint8Array>(
        {
          pull: async (controller) => {
            next ??= iterator.next()
            const done = new AbortController()
            const step = await Promise.race([next, alive(done.signal)]).catch((error: unknown) => {
              leave()
              throw error
            })
            done.abort()
            if (step === 'alive') {
              controller.enqueue(encoder.encode('\n'))
              return
            }
            next = undefined
            if (step.done === true || left.signal.aborted) {
              leave()
              controller.close()
            } else {
              controller.enqueue(encoder.encode(ndjsonLine(step.value)))
            }
          },
          cancel: leave,
        },
        { highWaterMark: 0 },
      )
      return new Response(body, {
        headers: { 'content-type': 'application/x-ndjson', 'x-accel-buffering': 'no' },
      })
    },
  }

  async function alive(signal: AbortSignal): Promise<'alive'> {
    await wait(clock, aliveMs, signal)
    return 'alive'
  }
}

/** Nobody between here and the browser takes a silent connection for a dead one within this, ms. */
const aliveMs = 15_000
/** Each holds a few builds at most. */
const mostOpen = 64
const retryAfterMs = 5_000

function tooMany(): ProblemError {
  return new ProblemError(
    problem(
      503,
      'insight-busy',
      'Server busy',
      'Too many people are reading builds at the moment. Try again in a few seconds.',
    ),
    { retryAfterMs },
  )
}

/** What a request asks for. Throws a ProblemError 400 that says what of it is wrong, 413 or 415. */
async function readInsightRequest<Request>(
  c: Context<ProxyEnv>,
  schema: z.ZodMiniType<Request>,
): Promise<Request> {
  const body = new TextDecoder().decode(await readJsonBody(c))
  return asExpected(schema.safeParse(parsedJson(body)))
}

function asExpected<Request>(read: z.core.util.SafeParseResult<Request>): Request {
  if (read.success) return read.data
  const [issue] = read.error.issues
  const where = issue?.path.join('.') ?? ''
  const what = issue === undefined || where === '' ? 'The request' : `"${where}"`
  throw problemError(400, 'bad-insight', 'Bad request', `${what} is missing or not as expected.`)
}

/** What a build's own events say of it, for servers whose list has no attributes. */
const factsReading: BuildReading<Facts> = {
  name: 'facts',
  version: 1,
  schema: Facts,
  read: async (source, buildId, signal) => {
    // What of them can't be read is reported where builds arrive.
    const result = await eventFacts({ ...source, onLoss: () => undefined }, buildId, signal)
    return result && { result, bytes: 0 }
  },
}

/**
 * How much of a build's work came from the build cache, by the model of its tool
 * (docs/services.md#build-cache-performance). A server without these models is a ProblemError that says so.
 */
const cacheReading: BuildReading<CacheCounts> = {
  name: 'caches',
  version: 1,
  schema: CacheCounts,
  read: async ({ client, clock }, buildId, signal) => {
    const path = buildPath(buildId, toolsWithCache.map(cacheModel))
    try {
      const answer = await fetchJson(client, clock, path, signal)
      const models = readListedBuild(answer, () => undefined)?.models ?? {}
      const given = toolsWithCache.flatMap((tool) => models[cacheKey(tool)]?.model ?? [])
      if (given.length === 0) throw noModels()
      return { result: countsOf(given.flatMap(unitsOf)), bytes: 0 }
    } catch (error) {
      if (error instanceof ProblemError && unknownModel.includes(error.status)) throw noModels()
      throw error
    }
  },
}

/** Servers that don't know these models refuse them, or don't have single builds at all. */
const unknownModel = [400, 404, 405, 501]

const Unit = z.looseObject({ avoidanceOutcome: z.string() })
const Performance = z.looseObject({
  taskExecution: z.optional(z.array(Unit)),
  goalExecution: z.optional(z.array(Unit)),
})

function unitsOf(model: unknown): readonly z.infer<typeof Unit>[] {
  const { taskExecution, goalExecution } = Performance.safeParse(model).data ?? {}
  return taskExecution ?? goalExecution ?? []
}

/** What was up to date needed no cache, and of what nothing is known could not have come from it. */
function countsOf(units: readonly z.infer<typeof Unit>[]): CacheCounts {
  let [hits, executed] = [0, 0]
  for (const { avoidanceOutcome } of units) {
    if (/^avoided_from_\w+_cache$/.test(avoidanceOutcome)) hits += 1
    else if (avoidanceOutcome === 'executed_cacheable') executed += 1
  }
  return { hits, cacheable: hits + executed }
}

function noModels(): ProblemError {
  return problemError(
    400,
    'no-cache-models',
    'No build cache models',
    'The build server gives no build cache models.',
  )
}
