import { createExportAuditLog } from '../data/audit/audit-log.ts'
import { createBoardStorage } from '../data/board/board-cells.ts'
import { createEvaluateBoard, createLookUpEvaluations } from '../data/board/board-requests.ts'
import { createBoards } from '../data/board/board-run.ts'
import { createChanges } from '../data/core/changes.ts'
import {
  createStreamedRequest,
  type FetchFile,
  type StreamedRequest,
} from '../data/core/request.ts'
import type { PageServices, Services } from '../data/core/services.ts'
import type { Tabs } from '../data/core/session.ts'
import { createPublisher, createSendPublication } from '../data/publish/publisher.ts'
import { createPolicyScans, createSendScan } from '../data/scans/policy-scan.ts'
import { brokeOffProblem, chunksOf } from '../../protocol/ndjson.ts'
import { ProblemError } from '../../protocol/problem.ts'

/** Makes what scans, publishing and boards need; the feed, walls and the decoder do without. */
export function createPageServices(
  services: Services,
  storage: Storage | undefined,
  tabs: Tabs | undefined,
): PageServices {
  const { fetch, session, clock, random, isOnline, request } = services
  const streamed = createStreamedRequest({ fetch, session, clock, isOnline })
  const fetchFile = createFetchFile(streamed)
  const changes = createChanges({ fetch, session, clock, random, isOnline, tabs, page: document })
  // Begun before pages fetch what may change, as what is fetched before it is fetched again.
  changes.subscribe('settings', () => undefined)()
  const boards = createBoards({
    evaluate: createEvaluateBoard(streamed, clock),
    lookUp: createLookUpEvaluations(request, session.proxyNow),
    storage: createBoardStorage(storage),
    locks: tabs?.locks,
    changes,
    clock,
    random,
  })
  window.addEventListener('storage', ({ key }) => {
    boards.hear(key)
  })
  window.addEventListener('pagehide', boards.save)
  return {
    scans: createPolicyScans({ send: createSendScan(streamed), clock, random }),
    publisher: createPublisher({ send: createSendPublication(streamed), clock }),
    boards,
    changes,
    exportAuditLog: createExportAuditLog(fetchFile),
    fetchFile,
  }
}

/** Fetches through the proxy, piece by piece. */
export function createFetchFile(request: StreamedRequest): FetchFile {
  return async (path, body, onPiece, signal) => {
    const response = await request(path, body, signal)
    const header = (name: string): string | null => response.headers.get(name)
    const pieces: Uint8Array<ArrayBuffer>[] = []
    try {
      for await (const chunk of chunksOf(response.body)) {
        const piece = new Uint8Array(chunk)
        pieces.push(piece)
        onPiece(piece, header)
      }
    } catch (error) {
      throw signal.aborted ? error : new ProblemError(brokeOffProblem(), { cause: error })
    }
    const [, name = 'download'] =
      /filename="([^"]*)"/.exec(header('content-disposition') ?? '') ?? []
    return { content: new Blob(pieces, { type: header('content-type') ?? '' }), name, header }
  }
}
