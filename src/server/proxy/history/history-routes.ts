import { Hono } from 'hono'
import { z } from 'zod'
import { assignmentsPath } from '../../../protocol/assignment.ts'
import { actionsExportPath, actionsPath } from '../../../protocol/audit-log.ts'
import { claimEndPath, claimsPath } from '../../../protocol/claim.ts'
import { decisionsPath } from '../../../protocol/decision.ts'
import { deliveriesPath, type Delivery, type DeliveryList } from '../../../protocol/delivery.ts'
import {
  evaluationEnds,
  type EvaluationSummary,
  evaluationsPath,
  latestEvaluationsPath,
  LatestEvaluationsRequest,
  mostLatestPlaces,
} from '../../../protocol/evaluation.ts'
import { bundlePath } from '../../../protocol/evidence-bundle.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'
import { ProblemError, problemError } from '../../../protocol/problem.ts'
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
  unmatchedWaiversPath,
  waiversPath,
} from '../../../protocol/waiver.ts'
import { wallsPath } from '../../../protocol/wall.ts'
import { listDeliveries, type Receivers, retryDelivery } from '../../store/deliveries.ts'
import { findEvaluation, latestEvaluations, listEvaluations } from '../../store/evaluations.ts'
import { databaseAway, methodNotAllowed } from '../problem-response.ts'
import { createRateLimit } from '../protect.ts'
import {
  badQuery,
  jsonIn,
  pageOf,
  readChoice,
  readJsonBody,
  readLimit,
  readListQuery,
} from '../read-request.ts'
import { assignmentList, giveAssignment } from '../release/assignment-routes.ts'
import { decide, decisionList, decisionRecord } from '../release/decision-routes.ts'
import {
  endTestQuarantine,
  quarantineList,
  quarantineNewTest,
} from '../release/quarantine-routes.ts'
import type { ProxyEnv, RouteHandler } from '../sessions.ts'
import {
  deleteWallOf,
  restoreWallOf,
  saveWallOf,
  wallHistory,
  wallList,
  type Walls,
} from '../walls/wall-routes.ts'
import { actionExport, actionList } from './action-routes.ts'
import { originOf } from './audit.ts'
import { claimList, claimTile, endClaim } from './claim-routes.ts'
import { keptAsJson } from './evaluation-recorder.ts'
import type { History, HistoryOptions, HistorySettings } from './history.ts'
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
  unmatchedWaiverList,
  waiverList,
} from './waiver-routes.ts'

/** As many URIs of failing policies stand in a list of runs, together. */
const mostFailing = 200_000

/** Runs as a list has them: an answer of very many that fail very much stays of a size that can be read. */
function listedRuns(runs: readonly EvaluationSummary[]): readonly EvaluationSummary[] {
  const most = Math.max(50, Math.floor(mostFailing / Math.max(1, runs.length)))
  return runs.map((run) => {
    if (run.failing.length <= most) return run
    return { ...run, failing: run.failing.slice(0, most), waived: run.waived.slice(0, most) }
  })
}

/** What the routes stand on, beside the history. */
export interface HistoryRouteOptions {
  readonly boards: SharedConfig['boards']
  /** Makes evidence bundles; without it nothing answers at their address. */
  readonly bundle: RouteHandler | undefined
  readonly walls: Walls
}

/** Every viewer may change their own, and each change is audited: so often in a minute. */
const mostQueryChanges = 120

/**
 * The routes below `/history` (docs/design.md#proxy-routes), behind the session. Where the database
 * fails they answer 503.
 */
export function historyRoutes(
  history: History,
  { boards, bundle, walls }: HistoryRouteOptions,
): Hono<ProxyEnv> {
  const { options } = history
  const { database } = options
  const app = new Hono<ProxyEnv>()
  const queryChanges = createRateLimit(options.clock, mostQueryChanges)
  const seldom =
    (change: RouteHandler): RouteHandler =>
    (c) => {
      queryChanges.take(c.get('session').holder)
      return change(c)
    }

  at(evaluationsPath, {
    GET: async (c) => {
      const asked = readListQuery(c, evaluationKeys)
      const limit = readLimit(asked.limit)
      const filter = {
        ...asked,
        repositoryUrl: asked.repository,
        ended: readChoice('ended', asked.ended, evaluationEnds),
      }
      const { rows, next } = pageOf(await listEvaluations(database, filter, limit + 1), limit)
      return c.json({ evaluations: listedRuns(rows), next, recording: history.recording() })
    },
  })

  at(latestEvaluationsPath, {
    POST: async (c) => {
      const { places } = readPlaces(await readJsonBody(c))
      return c.json({ evaluations: listedRuns(await latestEvaluations(database, places)) })
    },
  })

  at(`${evaluationsPath}/:id`, {
    GET: async (c) => {
      const found = await findEvaluation(database, c.req.param('id') ?? '')
      if (found === undefined) throw noEvaluation()
      const record = JSON.stringify({ ...found.summary, leftOut: found.leftOut })
      // Each result goes out as it came in, long numbers included: nothing is parsed here.
      const text = `${record.slice(0, -1)},"answer":${await keptAsJson(found.body)}}`
      return c.body(text, 200, { 'content-type': 'application/json' })
    },
  })

  if (bundle !== undefined) at(bundlePath, { GET: bundle, POST: bundle })

  at(actionsPath, { GET: actionList(history) })
  at(actionsExportPath, { GET: actionExport(history) })

  at(decisionsPath, { GET: decisionList(options), POST: decide(options, boards) })
  at(`${decisionsPath}/:id`, { GET: decisionRecord(options) })

  at(deliveriesPath, { GET: deliveryList(options) })
  at(`${deliveriesPath}/:id/retry`, { POST: retryFailedDelivery(history) })

  at(waiversPath, { GET: waiverList(options), POST: giveWaiver(options) })
  at(unmatchedWaiversPath, { GET: unmatchedWaiverList(options) })
  at(`${waiversPath}/:id/end`, { POST: endGivenWaiver(options) })
  at(assignmentsPath, { GET: assignmentList(options), POST: giveAssignment(options) })
  at(quarantinePath, { GET: quarantineList(options), POST: quarantineNewTest(options) })
  at(`${quarantinePath}/:id/end`, { POST: endTestQuarantine(options) })
  at(claimsPath, { GET: claimList(options), POST: claimTile(options) })
  at(claimEndPath, { POST: endClaim(options) })
  at(wallsPath, { GET: wallList(walls) })
  at(`${wallsPath}/:name`, { GET: wallHistory(options), POST: saveWallOf(options, walls) })
  at(`${wallsPath}/:name/delete`, { POST: deleteWallOf(options, walls) })
  at(`${wallsPath}/:name/restore`, { POST: restoreWallOf(options, walls) })
  at(waiverBulkPath, { POST: giveWaivers(options) })
  at(waiverEndPath, { POST: endGivenWaivers(options) })
  at(waiverApprovalPath, { POST: approveGivenWaivers(options) })

  at(savedQueriesPath, { GET: savedQueryList(options), POST: seldom(saveNewQuery(options)) })
  at(`${savedQueriesPath}/:id`, { POST: seldom(changeSavedQuery(options)) })
  at(`${savedQueriesPath}/:id/delete`, { POST: seldom(deleteSavedQuery(options)) })
  at(`${savedQueriesPath}/:id/restore`, { POST: seldom(restoreSavedQuery(options)) })
  at(savedQueryImportPath, { POST: seldom(importQueries(options)) })
  at(clearQueryRunsPath, { POST: clearRuns(options) })
  at(queryRunsPath, { GET: queryRunList(options), POST: recordQueryRun(options) })
  return app

  /** Every other method of the path is refused. */
  function at(path: string, handlers: Partial<Record<'GET' | 'POST', RouteHandler>>): void {
    for (const [method, handler] of Object.entries(handlers)) {
      app.on(method, path, async (c) => {
        c.set('route', path)
        try {
          return await inTime(history, handler(c))
        } catch (error) {
          throw error instanceof ProblemError ? error : unavailable(history, error)
        }
      })
    }
    app.all(path, (c) => {
      c.set('route', path)
      return methodNotAllowed(...Object.keys(handlers))
    })
  }
}

const evaluationKeys = [
  'path',
  'scan',
  'sha256',
  'repository',
  'ended',
  'by',
  'before',
  'limit',
] as const

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

function unavailable({ options }: History, error: unknown): ProblemError {
  options.logger.warn({ reason: reasonOf(error) }, 'reading or writing the history failed')
  return databaseAway(error, 'The history database')
}

const mostDeliveries = 200
const mostOfBoard = 20

/** `GET /history/deliveries`: messages to webhooks and people, the newest first; with `board`, to a board's webhook. */
function deliveryList({ database, settings, clock }: HistoryOptions): RouteHandler {
  return async (c) => {
    const { board, before } = readListQuery(c, ['board', 'before'])
    const behind = before === undefined ? undefined : readPlace(before)
    const receivers = receiversOf(settings)
    const limit = board === undefined ? mostDeliveries : mostOfBoard
    const found = await listDeliveries(database, { board, behind, limit: limit + 1, receivers })
    const deliveries = found.slice(0, limit)
    const last = found.length > limit ? deliveries.at(-1) : undefined
    const list: DeliveryList = {
      configured:
        board === undefined
          ? receivers.routes.length > 0 || receivers.boards.length > 0
          : receivers.boards.includes(board),
      deliveries,
      next: last === undefined ? null : `${last.createdAt}.${last.id}`,
      now: clock.now(),
    }
    return c.json(list)
  }
}

function receiversOf({ alertRoutes = [], webhookBoards = [] }: HistorySettings): Receivers {
  return { routes: alertRoutes, boards: webhookBoards }
}

/** What became of a receiver, and how messages can reach it again; `to` is that of the message. */
function goneText(to: string): string {
  const [, kind, name] = /^(board|route) (.*)$/s.exec(to) ?? []
  const [what, remedy] =
    kind === 'board'
      ? [`The board “${name}” has no webhook any more`, 'give the board a webhook']
      : kind === 'route'
        ? [`The route “${name}” isn't configured any more`, 'add the route to alerts.routes']
        : ["SIGHTLINE_WEBHOOK_URL isn't set any more", 'set it']
  return `${what}, so this message was not sent. To send it, ${remedy} and restart Sightline.`
}

/** One that is sent again meanwhile has another time. */
function readPlace(text: string): Pick<Delivery, 'createdAt' | 'id'> {
  const [, createdAt, id] = /^(\d{1,15})\.([\w-]+)$/.exec(text) ?? []
  if (createdAt === undefined || id === undefined)
    throw badQuery('"before" must be the "next" of a list of messages.')
  return { createdAt: Number(createdAt), id }
}

/**
 * `POST /history/deliveries/:id/retry`: answers 202 once a message that failed waits to be sent again,
 * which it is within a second. Throws a ProblemError 409 for one that was sent or is being sent, isn't true any more, or
 * whose receiver is gone.
 */
function retryFailedDelivery({
  options: { database, clock, settings },
  audit,
}: Pick<History, 'options' | 'audit'>): RouteHandler {
  return async (c) => {
    const id = c.req.param('id') ?? ''
    const retried = await retryDelivery(database, id, {
      now: clock.now(),
      receivers: receiversOf(settings),
    })
    if (retried === 'over') {
      throw problemError(
        409,
        'message-is-over',
        'It is over',
        'The tile has failed or recovered since, so this message is no longer true. It was not sent.',
      )
    }
    if (retried?.isReceiverGone === true) {
      throw problemError(409, 'receiver-is-gone', 'Its receiver is gone', goneText(retried.to))
    }
    if (retried !== undefined) {
      settings.wakeAlerts?.()
      audit.record({
        ...originOf(c),
        action: 'alert-retried',
        subject: retried.to,
        detail: retried.text,
      })
      return c.json({ id }, 202)
    }
    throw problemError(
      409,
      'nothing-to-retry',
      'Nothing to send again',
      "The message has been sent, is being sent right now, or isn't recorded.",
    )
  }
}
