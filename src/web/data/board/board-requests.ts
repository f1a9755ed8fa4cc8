import { recordedOutcome } from '../../../policy/board-tally.ts'
import {
  type BoardOutcome,
  BoardRunLine,
  boardRunPath,
  type BoardRunRequest,
} from '../../../protocol/board-run.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { byPlace, placeKey } from '../../../protocol/decision.ts'
import {
  EvaluationList,
  evaluationsPath,
  type EvaluationSummary,
  LatestEvaluations,
  latestEvaluationsPath,
} from '../../../protocol/evaluation.ts'
import { createLimit } from '../../../protocol/limit.ts'
import { chunksOf, readLines } from '../../../protocol/ndjson.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { parsedJson } from '../../../protocol/parsed-text.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import type { Request, StreamedRequest } from '../core/request.ts'
import type { PolicyScanQuestion } from '../scans/policy-scan.ts'

/** Has the proxy evaluate cells; gives what becomes of each of them, and ends after the last one. */
export type EvaluateBoard = (
  run: BoardRunRequest,
  signal: AbortSignal,
) => AsyncIterable<BoardRunLine>

/** The proxy says that it is there every 15 s. */
const longestSilenceMs = 45_000

/** Runs through the proxy. Throws a ProblemError where it refuses, breaks off, or falls silent. */
export function createEvaluateBoard(request: StreamedRequest, clock: Clock): EvaluateBoard {
  return async function* (run, signal) {
    const own = new AbortController()
    const abort = (): void => {
      own.abort()
    }
    let stopWatch = clock.after(longestSilenceMs, abort)
    signal.addEventListener('abort', abort)
    const isAlive = (): void => {
      stopWatch()
      stopWatch = clock.after(longestSilenceMs, abort)
    }
    try {
      const response = await request(boardRunPath, run, own.signal)
      for await (const text of readLines(chunksOf(response.body, isAlive))) {
        const line = BoardRunLine.safeParse(parsedJson(text))
        // A newer proxy may report more; what is not understood is no result.
        if (!line.success) continue
        yield line.data
        if (line.data.is === 'over') return
      }
    } catch (error) {
      throw error instanceof ProblemError ? error : brokeOff(error)
    } finally {
      stopWatch()
      signal.removeEventListener('abort', abort)
    }
    throw brokeOff(undefined)
  }
}

function brokeOff(cause: unknown): ProblemError {
  const sentence = "The Sightline server's response was cut off."
  return new ProblemError(problem(502, 'answer-broke-off', 'Incomplete response', sentence), {
    cause,
  })
}

/** An evaluation that was recorded; `agoMs` ago by the clock of the proxy. */
export interface FoundEvaluation {
  readonly question: PolicyScanQuestion
  readonly agoMs: number
  readonly outcome: BoardOutcome
}

/** Finds what the proxy has recorded of these questions. */
export interface LookUpEvaluations {
  /** What ended completely in the last `sinceMs`, with what to do about it. */
  readonly since: (
    questions: readonly PolicyScanQuestion[],
    sinceMs: number,
    signal: AbortSignal,
  ) => Promise<readonly FoundEvaluation[]>
  /**
   * The last one of each question that says how it comes out, no matter who requested it. What fails to be read is thrown
   * after all that was found: a ProblemError.
   */
  readonly latest: (
    questions: readonly PolicyScanQuestion[],
    signal: AbortSignal,
  ) => AsyncIterable<readonly FoundEvaluation[]>
}

/** Of a large board so many requests for recorded results are on their way at a time. */
const latestAtOnce = 3
/** So many cells are requested together: a page decodes what is answered without a pause. */
const latestPerRequest = 250

/** At most so many pages of the history are read; what is beyond is requested again. */
const mostPages = 20

/**
 * Looks through the history of the proxy, the newest first. `proxyNow` is the time by its clock. Where
 * there is no history, nothing was found; nor is there anything to take over where it fails: that costs an
 * evaluation and never an answer.
 */
export function createLookUpEvaluations(
  request: Request,
  proxyNow: () => number,
): LookUpEvaluations {
  /** The last complete evaluation of each question since then, epoch ms by the proxy's clock. */
  async function summaries(
    questions: readonly PolicyScanQuestion[],
    since: number,
    signal: AbortSignal,
  ): Promise<readonly (readonly [PolicyScanQuestion, EvaluationSummary])[]> {
    const wanted = new Map(questions.map((question) => [questionKey(question), question]))
    const found: (readonly [PolicyScanQuestion, EvaluationSummary])[] = []
    let before: string | null = ''
    for (let page = 0; page < mostPages && before !== null && wanted.size > 0; page++) {
      const query: string = before === '' ? '' : `&before=${encodeURIComponent(before)}`
      const list: EvaluationList = await request(
        `${evaluationsPath}?limit=100${query}`,
        EvaluationList,
        { signal },
      )
      const fresh = list.evaluations.filter(({ startedAt }) => startedAt >= since)
      for (const summary of fresh) {
        const key = placeKey(summary)
        const question = wanted.get(key)
        if (question === undefined || summary.ended !== 'complete') continue
        wanted.delete(key)
        found.push([question, summary])
      }
      before = fresh.length < list.evaluations.length ? null : list.next
    }
    return found
  }

  return {
    since: async (questions, sinceMs, signal) => {
      const now = proxyNow()
      const found: FoundEvaluation[] = []
      try {
        for (const [question, summary] of await summaries(questions, now - sinceMs, signal)) {
          const agoMs = Math.max(0, now - summary.endedAt)
          found.push({ question, agoMs, outcome: recordedOutcome(summary) })
        }
      } catch {
        // What is not found is requested once more.
      }
      return found
    },
    latest: async function* (questions, signal) {
      const inTurn = createLimit(latestAtOnce)
      const requests: Promise<readonly FoundEvaluation[]>[] = []
      const faults: unknown[] = []
      const failed = (error: unknown): readonly FoundEvaluation[] => {
        const hasNoHistory = error instanceof ProblemError && error.status === 404
        if (!hasNoHistory) faults.push(error)
        return []
      }
      for (let at = 0; at < questions.length; at += latestPerRequest) {
        const part = questions.slice(at, at + latestPerRequest)
        requests.push(
          inTurn.run(() => latestOf(request, proxyNow, part, signal), signal).catch(failed),
        )
      }
      for (const found of requests) yield await found
      if (faults.length > 0) throw faults[0]
    },
  }
}

/** A list of boards has many of these, and other requests are to come through. */
const recordedInTurn = createLimit(latestAtOnce)

/** The last recorded result of each question that has one, whoever requested it. Throws a ProblemError. */
export async function readRecorded(
  request: Request,
  proxyNow: () => number,
  questions: readonly PolicyScanQuestion[],
  signal: AbortSignal,
): Promise<readonly FoundEvaluation[]> {
  const found: FoundEvaluation[] = []
  for (let at = 0; at < questions.length; at += latestPerRequest) {
    const part = questions.slice(at, at + latestPerRequest)
    found.push(
      ...(await recordedInTurn.run(() => latestOf(request, proxyNow, part, signal), signal)),
    )
  }
  return found
}

async function latestOf(
  request: Request,
  proxyNow: () => number,
  questions: readonly PolicyScanQuestion[],
  signal: AbortSignal,
): Promise<readonly FoundEvaluation[]> {
  const places = questions.map(({ address, scan, sha256, repositoryUrl }) => {
    return { packagePath: packagePath(address), scan, sha256, repositoryUrl }
  })
  const { evaluations } = await request(latestEvaluationsPath, LatestEvaluations, {
    method: 'POST',
    body: { places },
    signal,
  })
  const now = proxyNow()
  const byKey = new Map(questions.map((question) => [questionKey(question), question]))
  return [...byPlace(evaluations)].flatMap(([key, [summary, ...before]]) => {
    const question = byKey.get(key)
    if (question === undefined || summary === undefined) return []
    const agoMs = Math.max(0, now - summary.endedAt)
    return [{ question, agoMs, outcome: recordedOutcome(summary, before) }]
  })
}

function questionKey({ address, ...question }: PolicyScanQuestion): string {
  return placeKey({ packagePath: packagePath(address), ...question })
}

/** With 10,000 cells and characters of three bytes it is 1 MiB: what is larger, proxies in between may refuse. */
const mostCharacters = 300_000

/** The request for the first of these cells, as many as fit into one; each package and each scan is named once. */
export function boardRequest(
  keys: readonly string[],
  questions: ReadonlyMap<string, PolicyScanQuestion>,
  more: Pick<BoardRunRequest, 'mostInFlight' | 'begunMsAgo'>,
): BoardRunRequest {
  const packages: BoardRunRequest['packages'] = []
  const scans: string[] = []
  const places = new Map<string, number>()
  const placeOf = (name: string, add: () => number): number => {
    const place = places.get(name) ?? add() - 1
    places.set(name, place)
    return place
  }
  const cells: [number, number][] = []
  let room = mostCharacters
  for (const key of keys) {
    const question = questions.get(key)
    if (question === undefined) continue
    const { address, sha256, repositoryUrl, scan } = question
    const one = placeOf(`package ${packagePath(address)} ${sha256} ${repositoryUrl}`, () => {
      const named = { address: { ...address }, sha256, repositoryUrl }
      room -= JSON.stringify(named).length
      return packages.push(named)
    })
    if (room < 0 && cells.length > 0) {
      packages.pop()
      break
    }
    cells.push([one, placeOf(`scan ${scan}`, () => scans.push(scan))])
  }
  return { packages, scans, cells, ...more }
}
