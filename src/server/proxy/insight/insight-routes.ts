import { Hono } from 'hono'
import * as z from 'zod/mini'
import { createBuildFailures, failureEventTypes } from '../../../facts/insight/build-failures.ts'
import type { TestHistoryOptions } from '../../../facts/insight/test-history.ts'
import { testOwners } from '../../../facts/insight/test-owners.ts'
import { testEventTypes } from '../../../facts/test-cases.ts'
import { ruledBranch } from '../../../facts/tile-branch.ts'
import type { SharedConfig } from '../../../protocol/proxy-config.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { BuildFailure } from '../../../protocol/build-failure.ts'
import {
  type CachesLine,
  cachesPath,
  CachesRequest,
  type FailuresLine,
  failuresPath,
  FailuresRequest,
} from '../../../protocol/insight.ts'
import { type TestId, testsPath, TestsRequest } from '../../../protocol/test-insight.ts'
import { listQuarantined } from '../../store/quarantine.ts'
import { methodNotAllowed } from '../problem-response.ts'
import type { ProxyEnv } from '../sessions.ts'
import { createInsightLines, readInsightRequest } from './insight-lines.ts'
import { createSearchList } from '../shared-search/shared-search-list.ts'
import { createBuildWalk } from './build-walk.ts'
import { cacheReading } from './cache-reading.ts'
import {
  type BuildReading,
  createInsights,
  type InsightsOptions,
  readingOfEvents,
} from './insights.ts'
import { createTestLines } from './test-lines.ts'
import { testReading } from './test-reading.ts'

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
    caches: reader(cacheReading),
    tests: createTestLines({ walk, reader: reader(testReading), clock, history, quarantined }),
  }
}

/** The routes below `/insight` (docs/design.md#proxy-routes), behind the session. */
export function insightRoutes(insights: BuildInsights, clock: Clock): Hono<ProxyEnv> {
  const { respond } = createInsightLines(clock)
  const app = new Hono<ProxyEnv>()
  app.post(failuresPath, async (c) => {
    const { buildIds } = await readInsightRequest(c, FailuresRequest)
    return respond(c, async function* (signal) {
      for await (const insight of insights.failures.read(buildIds, signal)) {
        const { buildId } = insight
        const line: FailuresLine =
          'problem' in insight ? insight : { buildId, failures: insight.result }
        yield line
      }
    })
  })
  app.all(failuresPath, () => methodNotAllowed('POST'))
  app.post(cachesPath, async (c) => {
    const { buildIds } = await readInsightRequest(c, CachesRequest)
    return respond(c, async function* (signal) {
      for await (const insight of insights.caches.read(buildIds, signal)) {
        const { buildId } = insight
        const line: CachesLine = 'problem' in insight ? insight : { buildId, cache: insight.result }
        yield line
      }
    })
  })
  app.all(cachesPath, () => methodNotAllowed('POST'))
  app.post(testsPath, async (c) =>
    respond(c, insights.tests(await readInsightRequest(c, TestsRequest))),
  )
  app.all(testsPath, () => methodNotAllowed('POST'))
  return app
}
