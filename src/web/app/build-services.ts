import { createBuildEventsPool } from '../data/build/build-events.ts'
import { startBuildWorker } from '../data/build/build-worker-line.ts'
import { createBuildSearches } from '../data/builds/build-search.ts'
import { createStreamedRequest } from '../data/core/request.ts'
import type { BuildServices, Services } from '../data/core/services.ts'
import { createBuildInsights, startInsightWorker } from '../data/insight/build-insight.ts'
import {
  createReadCaches,
  createReadFacts,
  createReadFailures,
  createServerInsight,
} from '../data/insight/server-insight.ts'
import { createTestReports } from '../data/tests/test-report.ts'

const keptLosses = 100

/** Makes what the pages of builds and tests need. */
export function createBuildServices(services: Services): BuildServices {
  const { fetch, session, clock, random, isOnline, request, feed, losses } = services
  const streamed = createStreamedRequest({ fetch, session, clock, isOnline })
  const readFacts = createReadFacts({ send: streamed, clock, random })
  const readFailures = createReadFailures({ send: streamed, clock, random })
  return {
    buildEvents: createBuildEventsPool({
      fetch,
      session,
      clock,
      random,
      isOnline,
      startWorker: startBuildWorker,
    }),
    searches: createBuildSearches({
      request,
      clock,
      random,
      feed,
      readFacts,
      onLoss: (loss) => {
        const at = session.proxyNow()
        losses.set([{ ...loss, at }, ...losses.getSnapshot()].slice(0, keptLosses))
      },
    }),
    buildInsight: createBuildInsights({
      clock,
      startWorker: startInsightWorker,
      readFailures,
      readCaches: createReadCaches({ send: streamed, clock, random }),
    }),
    serverInsight: createServerInsight(request),
    readFailures,
    readFacts,
    testReports: createTestReports({ send: streamed, clock, random }),
  }
}
