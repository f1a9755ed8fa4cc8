import { groupByPolicy } from '../policy/policy-group.ts'
import { scanVerdict } from '../policy/verdict.ts'
import { backOffMs } from '../protocol/back-off.ts'
import { type Clock, wait } from '../protocol/clock.ts'
import type { PolicyResult } from '../protocol/policy-result.ts'
import { problemError, ProblemError } from '../protocol/problem.ts'
import { durationWords } from './duration.ts'
import { connectionProblem, readResults, responseProblem, tooSlow } from './read-response.ts'
import type { ScanSource } from './scan-source.ts'
import type { Subject } from './subject.ts'

/** What an evaluation came to; `at` is epoch ms. */
export type Evaluation =
  | {
      readonly is: 'answered'
      readonly at: number
      readonly results: readonly PolicyResult[]
      /** Parts of the answer that are no results. */
      readonly unreadable: number
      /** Why the answer is not whole. */
      readonly broken: ProblemError | undefined
      /** Where people see its record. */
      readonly record: string | undefined
    }
  | { readonly is: 'refused'; readonly at: number; readonly problem: ProblemError }

/** What evaluations are made with. */
export interface Evaluating {
  readonly source: ScanSource
  readonly clock: Clock
  /** 0 up to 1. */
  readonly random: () => number
  /** Progress for people. */
  readonly log: (line: string) => void
  /** The longest one may take, all attempts together, ms. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Attempts at what may be a passing trouble: a connection that breaks, a failure of the service. */
const mostTroubled = 3

/**
 * Evaluates a scan. A service that is busy (429, 503) is asked again until the time is over, with
 * jitter and never before its Retry-After; one that fails or breaks off is asked three times, and what
 * it said in the last answer that had begun is kept. Never rejects.
 */
export async function evaluate(subject: Subject, evaluating: Evaluating): Promise<Evaluation> {
  const { clock, log, timeoutMs, signal } = evaluating
  const retries = createRetries(evaluating)
  let begun: Evaluation | undefined
  for (let attempts = 1; ; attempts += 1) {
    const evaluation = await attempt(subject, evaluating, retries.deadline)
    const fault = faultOf(evaluation)
    if (fault === undefined || signal.aborted) return evaluation
    if (evaluation.is === 'answered') begun = evaluation
    const ms = retries.pauseAfter(fault, evaluation.is === 'answered')
    if (ms === undefined) return begun ?? evaluation
    if (clock.now() + ms >= retries.deadline)
      return begun ?? gaveUp(evaluation, fault, attempts, timeoutMs)
    log(retryText(fault, ms))
    await wait(clock, ms, signal)
  }
}

/** When a request that failed is sent again. */
interface Retries {
  /** Epoch ms; nothing is sent again from then on. */
  readonly deadline: number
  /** How long to wait first, ms; undefined where the same would come of it. `hasBegun`: it broke off behind a part of the answer. */
  readonly pauseAfter: (fault: ProblemError, hasBegun?: boolean) => number | undefined
}

/** One that is busy (429, 503) is asked again and again, one that fails or breaks off three times. */
export function createRetries({
  clock,
  random,
  timeoutMs,
}: Pick<Evaluating, 'clock' | 'random' | 'timeoutMs'>): Retries {
  let failures = 0
  let troubled = 0
  return {
    deadline: clock.now() + timeoutMs,
    pauseAfter: (fault, hasBegun = false) => {
      failures += 1
      const isBusy = !hasBegun && isBusyStatus(fault)
      troubled += isBusy ? 0 : 1
      if (!isBusy && (troubled === mostTroubled || !isPassing(fault, hasBegun))) return undefined
      const { retryAfterMs } = fault
      return backOffMs({ failures, retryMs: undefined, retryAfterMs, random })
    },
  }
}

/** What people read while it waits. */
export function retryText(fault: ProblemError, ms: number): string {
  return `${fault.sentence} Retrying in ${durationWords(ms)}.`
}

async function attempt(
  subject: Subject,
  { source, clock, timeoutMs, signal }: Evaluating,
  deadline: number,
): Promise<Evaluation> {
  const own = new AbortController()
  const end = (): void => {
    own.abort(interrupted())
  }
  if (signal.aborted) end()
  signal.addEventListener('abort', end)
  const waitMs = deadline - clock.now()
  const cancel = clock.after(waitMs, () => {
    own.abort(tooSlow(source.who, timeoutMs))
  })
  try {
    const response = await source.evaluate(subject, waitMs, own.signal)
    // Another success, such as a part of it (206), is no evaluation.
    if (response.status !== 200) throw await responseProblem(response, source.who, clock.now())
    const read = await readResults(response, source.who)
    // A stream that is given up tells so in its own way, or ends as if it were whole.
    const broken = own.signal.aborted
      ? connectionProblem(own.signal.reason, source.who)
      : read.broken
    const record = source.recordOf(subject, response)
    return { is: 'answered', at: clock.now(), ...read, broken, record }
  } catch (error) {
    const cause: unknown = own.signal.aborted ? own.signal.reason : error
    return { is: 'refused', at: clock.now(), problem: connectionProblem(cause, source.who) }
  } finally {
    cancel()
    signal.removeEventListener('abort', end)
  }
}

function faultOf(evaluation: Evaluation): ProblemError | undefined {
  return evaluation.is === 'refused' ? evaluation.problem : evaluation.broken
}

function isBusyStatus({ status, problem: { type } }: ProblemError): boolean {
  return status === 429 || (status === 503 && !type.endsWith(':unreachable'))
}

/** Whether the same may come out otherwise when it is asked again. */
function isPassing(fault: ProblemError, hasBegun: boolean): boolean {
  // A Sightline server passes on that the service refuses it; a page stays a page.
  const { upstreamStatus, type } = fault.problem
  if (upstreamStatus === 401 || upstreamStatus === 403) return false
  if (
    /:(?:page|too-long|too-slow|not-sightline|upstream-answer|upstream-redirect|open-ended|compressed)$/.test(
      type,
    )
  )
    return false
  return hasBegun || fault.status === 408 || fault.status >= 500
}

function gaveUp(
  evaluation: Evaluation,
  fault: ProblemError,
  attempts: number,
  timeoutMs: number,
): Evaluation {
  const detail = `${fault.sentence} Gave up after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} (--timeout ${durationWords(timeoutMs)}).`
  return {
    is: 'refused',
    at: evaluation.at,
    problem: new ProblemError({ ...fault.problem, detail }, { cause: fault }),
  }
}

function interrupted(): ProblemError {
  return problemError(499, 'interrupted', 'Interrupted', 'Interrupted.')
}

/**
 * Evaluates a scan, and again with growing pauses while attestations are missing, until `waitMs` are
 * over; the last time right at their end. Never rejects.
 */
export async function evaluateWhenAvailable(
  subject: Subject,
  evaluating: Evaluating,
  waitMs: number,
): Promise<Evaluation> {
  const { clock, random, log, signal } = evaluating
  const until = clock.now() + waitMs
  for (let failures = 1; ; failures += 1) {
    const evaluation = await evaluate(subject, evaluating)
    const missing = missingOf(evaluation)
    const leftMs = until - clock.now()
    if (missing === undefined || leftMs <= 0 || signal.aborted) return evaluation
    const pauseMs = backOffMs({ failures, retryMs: undefined, retryAfterMs: undefined, random })
    const ms = Math.min(pauseMs, leftMs)
    log(
      `${subject.purl}: ${missing} Retrying in ${durationWords(ms)}, for at most ${durationWords(leftMs)} more.`,
    )
    await wait(clock, ms, signal)
  }
}

/**
 * What is not there yet, as a sentence; undefined where time alone changes nothing. An answer of 404,
 * one in which nothing applied, and one in which nothing failed but the existence of attestations.
 */
function missingOf(evaluation: Evaluation): string | undefined {
  if (evaluation.is === 'refused') {
    const { status, problem } = evaluation.problem
    const isThere = status !== 404 || problem.type.endsWith(':no-governor')
    return isThere ? undefined : "The policy scan or the package doesn't exist yet."
  }
  const { results, unreadable, broken } = evaluation
  const groups = groupByPolicy(results)
  const { verdict } = scanVerdict(groups, { unreadable, complete: broken === undefined })
  if (verdict === 'nothing-applied') return 'No policy applies yet.'
  if (verdict !== 'not-releasable' || broken !== undefined) return undefined
  const failing = groups.filter(({ status }) => status === 'unsatisfied')
  return failing.every(({ kind }) => kind === 'AttestationsExist')
    ? 'Attestations are still missing.'
    : undefined
}
