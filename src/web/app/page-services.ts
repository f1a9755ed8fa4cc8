import { createExportAuditLog } from '../data/audit/audit-log.ts'
import { createBoardStorage } from '../data/board/board-cells.ts'
import { createEvaluateBoard, createLookUpEvaluations } from '../data/board/board-requests.ts'
import { createBoards } from '../data/board/board-run.ts'
import { createBuildEventsPool } from '../data/build/build-events.ts'
import { startBuildWorker } from '../data/build/build-worker-line.ts'
import { createBuildSearches } from '../data/builds/build-search.ts'
import { createChanges } from '../data/core/changes.ts'
import { createFetchFile, createStreamedRequest } from '../data/core/request.ts'
import type { PageServices, Services } from '../data/core/services.ts'
import type { Tabs } from '../data/core/session.ts'
import { createBuildInsights, startInsightWorker } from '../data/insight/build-insight.ts'
import {
  createReadCaches,
  createReadFailures,
  createServerInsight,
} from '../data/insight/server-insight.ts'
import { createPublisher, createSendPublication } from '../data/publish/publisher.ts'
import { createPolicyScans, createSendScan } from '../data/scans/policy-scan.ts'
import { createTestReports } from '../data/tests/test-report.ts'

const keptLosses = 100

/** Makes what builds, scans, publishing and boards need; the feed and walls do without. */
export function createPageServices(
  services: Services,
  storage: Storage | undefined,
  tabs: Tabs | undefined,
): PageServices {
  const { fetch, session, clock, random, isOnline, request, feed, losses } = services
  const streamed = createStreamedRequest({ fetch, session, clock, isOnline })
  const fetchFile = createFetchFile(streamed)
  const readFailures = createReadFailures({ send: streamed, clock, random })
  const changes = createChanges({ fetch, session, clock, random, isOnline, tabs, page: document })
  const boards = createBoards({
    evaluate: createEvaluateBoard(streamed, clock),
    lookUp: createLookUpEvaluations(request, session.proxyNow),
    storage: createBoardStorage(storage),
    // Only on pages that are served securely.
    locks: 'locks' in navigator ? navigator.locks : undefined,
    changes,
    clock,
    random,
  })
  window.addEventListener('storage', ({ key }) => {
    boards.hear(key)
  })
  window.addEventListener('pagehide', boards.save)
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
    testReports: createTestReports({ send: streamed, clock, random }),
    scans: createPolicyScans({ send: createSendScan(streamed), clock, random }),
    publisher: createPublisher({ send: createSendPublication(streamed), clock }),
    boards,
    changes,
    exportAuditLog: createExportAuditLog(fetchFile),
    fetchFile,
  }
}
