import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { assignmentsPath } from '../../../protocol/assignment.ts'
import { actionsExportPath, actionsPath } from '../../../protocol/audit-log.ts'
import { claimEndPath, claimsPath } from '../../../protocol/claim.ts'
import { decisionsPath } from '../../../protocol/decision.ts'
import { deliveriesPath } from '../../../protocol/delivery.ts'
import {
  evaluationsPath,
  latestEvaluationsPath,
  LatestEvaluationsRequest,
  mostLatestPlaces,
} from '../../../protocol/evaluation.ts'
import { bundlePath } from '../../../protocol/evidence-bundle.ts'
import { problem, ProblemError, problemError } from '../../../protocol/problem.ts'
import type { SharedConfig } from '../../../protocol/proxy-config.ts'
import { quarantinePath } from '../../../protocol/quarantine.ts'
import {
  clearQueryRunsPath,
  queryRunsPath,
  savedQueriesPath,
  savedQueryImportPath,
} from '../../../protocol/saved-query.ts'
import {
  waiverApprovalPath,
  waiverBulkPath,
  waiverEndPath,
  waiversPath,
} from '../../../protocol/waiver.ts'
import { wallsPath } from '../../../protocol/wall.ts'
import { findEvaluation, latestEvaluations, listEvaluations } from '../../store/evaluations.ts'
import { methodNotAllowed } from '../problem-response.ts'
import { jsonIn, pageOf, readJsonBody, readLimit, readListQuery } from '../read-request.ts'
import { assignmentList, giveAssignment } from '../release/assignment-routes.ts'
import { decide, decisionList, decisionRecord } from '../release/decision-routes.ts'
import { deliveryList, retryFailedDelivery } from '../release/delivery-routes.ts'
import {
  endTestQuarantine,
  quarantineList,
  quarantineNewTest,
} from '../release/quarantine-routes.ts'
import type { ProxyEnv } from '../sessions.ts'
import {
  deleteWallOf,
  restoreWallOf,
  saveWallOf,
  wallHistory,
  wallList,
} from '../walls/wall-routes.ts'
import type { Walls } from '../walls/walls.ts'
import { actionExport, actionList } from './action-routes.ts'
import { claimList, claimTile, endClaim } from './claim-routes.ts'
import { keptAsJson } from './evaluation-recorder.ts'
import type { History } from './history.ts'
import {
  changeSavedQuery,
  clearRuns,
  deleteSavedQuery,
  importQueries,
  queryRunList,
  recordQueryRun,
  restoreSavedQuery,
  savedQueryList,
  saveNewQuery,
} from './saved-query-routes.ts'
import {
  approveGivenWaivers,
  endGivenWaiver,
  endGivenWaivers,
  giveWaiver,
  giveWaivers,
  waiverList,
} from './waiver-routes.ts'

/** What the routes stand on, beside the history. */
export interface HistoryRouteOptions {
  readonly boards: SharedConfig['boards']
  /** Makes evidence bundles; without it nothing answers at their address. */
  readonly bundle: ((c: Context<ProxyEnv>) => Promise<Response>) | undefined
  readonly walls: Walls
}

/**
 * The routes below `/history` (docs/design.md#proxy-routes), behind the session. Where the database
 * fails they answer 503.
 */
export function historyRoutes(
  history: History,
  { boards, bundle, walls }: HistoryRouteOptions,
): Hono<ProxyEnv> {
  const { database } = history.options
  const app = new Hono<ProxyEnv>()

  route('GET', evaluationsPath, async (c) => {
    const asked = readListQuery(c, ['path', 'scan', 'sha256', 'by', 'before', 'limit'])
    const limit = readLimit(asked.limit)
    const { rows, next } = pageOf(await listEvaluations(database, asked, limit + 1), limit)
    return c.json({ evaluations: rows, next, recording: history.recording() })
  })
  only(evaluationsPath, 'GET')

  route('POST', latestEvaluationsPath, async (c) => {
    const { places } = readPlaces(await readJsonBody(c))
    return c.json({ evaluations: await latestEvaluations(database, places) })
  })
  only(latestEvaluationsPath, 'POST')

  route('GET', `${evaluationsPath}/:id`, async (c) => {
    const found = await findEvaluation(database, c.req.param('id') ?? '')
    if (found === undefined) throw noEvaluation()
    const record = JSON.stringify({ ...found.summary, leftOut: found.leftOut })
    // Each result goes out as it came in, long numbers included: nothing is parsed here.
    const text = `${record.slice(0, -1)},"answer":${await keptAsJson(found.body)}}`
    return c.body(text, 200, { 'content-type': 'application/json' })
  })
  only(`${evaluationsPath}/:id`, 'GET')

  if (bundle !== undefined) {
    route('GET', bundlePath, bundle)
    route('POST', bundlePath, bundle)
    only(bundlePath, 'GET', 'POST')
  }

  route('GET', actionsPath, actionList(history))
  only(actionsPath, 'GET')
  route('GET', actionsExportPath, actionExport(history))
  only(actionsExportPath, 'GET')

  route('GET', decisionsPath, decisionList(history.options))
  route('POST', decisionsPath, decide(history.options, boards))
  only(decisionsPath, 'GET', 'POST')
  route('GET', `${decisionsPath}/:id`, decisionRecord(history.options))
  only(`${decisionsPath}/:id`, 'GET')

  route('GET', deliveriesPath, deliveryList(history.options))
  only(deliveriesPath, 'GET')
  route('POST', `${deliveriesPath}/:id/retry`, retryFailedDelivery(history))
  only(`${deliveriesPath}/:id/retry`, 'POST')

  route('GET', waiversPath, waiverList(history.options))
  route('POST', waiversPath, giveWaiver(history.options))
  only(waiversPath, 'GET', 'POST')
  route('POST', `${waiversPath}/:id/end`, endGivenWaiver(history.options))
  only(`${waiversPath}/:id/end`, 'POST')
  route('GET', assignmentsPath, assignmentList(history.options))
  route('POST', assignmentsPath, giveAssignment(history.options))
  only(assignmentsPath, 'GET', 'POST')
  route('GET', quarantinePath, quarantineList(history.options))
  route('POST', quarantinePath, quarantineNewTest(history.options))
  only(quarantinePath, 'GET', 'POST')
  route('POST', `${quarantinePath}/:id/end`, endTestQuarantine(history.options))
  only(`${quarantinePath}/:id/end`, 'POST')
  route('GET', claimsPath, claimList(history.options))
  route('POST', claimsPath, claimTile(history.options))
  only(claimsPath, 'GET', 'POST')
  route('POST', claimEndPath, endClaim(history.options))
  only(claimEndPath, 'POST')
  route('GET', wallsPath, wallList(walls))
  only(wallsPath, 'GET')
  route('GET', `${wallsPath}/:name`, wallHistory(history.options))
  route('POST', `${wallsPath}/:name`, saveWallOf(history.options, walls))
  only(`${wallsPath}/:name`, 'GET', 'POST')
  route('POST', `${wallsPath}/:name/delete`, deleteWallOf(history.options, walls))
  only(`${wallsPath}/:name/delete`, 'POST')
  route('POST', `${wallsPath}/:name/restore`, restoreWallOf(history.options, walls))
  only(`${wallsPath}/:name/restore`, 'POST')
  route('POST', waiverBulkPath, giveWaivers(history.options))
  only(waiverBulkPath, 'POST')
  route('POST', waiverEndPath, endGivenWaivers(history.options))
  only(waiverEndPath, 'POST')
  route('POST', waiverApprovalPath, approveGivenWaivers(history.options))
  only(waiverApprovalPath, 'POST')

  route('GET', savedQueriesPath, savedQueryList(history.options))
  route('POST', savedQueriesPath, saveNewQuery(history.options))
  only(savedQueriesPath, 'GET', 'POST')
  for (const [path, handler] of [
    [`${savedQueriesPath}/:id`, changeSavedQuery(history.options)],
    [`${savedQueriesPath}/:id/delete`, deleteSavedQuery(history.options)],
    [`${savedQueriesPath}/:id/restore`, restoreSavedQuery(history.options)],
    [savedQueryImportPath, importQueries(history.options)],
    [clearQueryRunsPath, clearRuns(history.options)],
  ] as const) {
    route('POST', path, handler)
    only(path, 'POST')
  }
  route('GET', queryRunsPath, queryRunList(history.options))
  route('POST', queryRunsPath, recordQueryRun(history.options))
  only(queryRunsPath, 'GET', 'POST')
  return app

  function route(
    method: 'GET' | 'POST',
    path: string,
    handler: (c: Context<ProxyEnv>) => Promise<Response>,
  ): void {
    app.on(method, path, async (c) => {
      c.set('route', path)
      try {
        return await inTime(history, handler(c))
      } catch (error) {
        throw error instanceof ProblemError ? error : databaseFault(history, error)
      }
    })
  }

  function only(path: string, ...methods: readonly ['GET' | 'POST', ...('GET' | 'POST')[]]): void {
    app.all(path, (c) => {
      c.set('route', path)
      return methodNotAllowed(...methods)
    })
  }
}

function readPlaces(body: Uint8Array): z.infer<typeof LatestEvaluationsRequest> {
  const { data } = z.safeParse(LatestEvaluationsRequest, jsonIn(body))
  if (data !== undefined) return data
  const detail = `Send a JSON object with up to ${mostLatestPlaces} "places", each with packagePath, sha256, repositoryUrl and scan.`
  throw problemError(400, 'bad-places', 'Bad request', detail)
}

/** A database that takes longer is taken for one that does not answer, ms. */
const longestMs = 15_000

function inTime({ options }: History, answer: Promise<Response>): Promise<Response> {
  return new Promise((resolve, reject) => {
    const stop = options.clock.after(longestMs, () => {
      reject(new Error(`the database didn't respond within ${longestMs / 1000} s`))
    })
    answer.then(resolve, reject).finally(stop)
  })
}

function noEvaluation(): ProblemError {
  return problemError(
    404,
    'no-evaluation',
    'Run not found',
    "This run isn't recorded. It may have been deleted, may have failed to record, or may still be in progress.",
  )
}

function databaseFault({ options }: History, error: unknown): ProblemError {
  const reason = error instanceof Error ? error.message : 'unknown'
  options.logger.warn({ reason }, 'reading or writing the history failed')
  return new ProblemError(
    problem(
      503,
      'history-unavailable',
      'History unavailable',
      "The history database isn't responding. Try again later. See the Sightline server's log for details.",
    ),
    { cause: error },
  )
}
