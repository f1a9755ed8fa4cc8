import {
  createGrowingGroup,
  type GrowingGroup,
  type PolicyGroup,
  policyKey,
} from '../../../policy/policy-group.ts'
import { backOffMs } from '../../../protocol/back-off.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { evaluationHeader } from '../../../protocol/evaluation.ts'
import { type PackageAddress, policyScanPath } from '../../../protocol/package-address.ts'
import {
  type PolicyAnswer,
  type PolicyResult,
  readPolicyAnswer,
} from '../../../protocol/policy-result.ts'
import { problem, ProblemDetail, ProblemError } from '../../../protocol/problem.ts'
import { readJsonParts } from '../core/json-parts.ts'
import type { StreamedRequest } from '../core/request.ts'

/** Which scan is evaluated on which package (docs/services.md#evaluate). */
export interface PolicyScanQuestion {
  readonly address: PackageAddress
  readonly scan: string
  /** Lower-case hex. */
  readonly sha256: string
  readonly repositoryUrl: string
}

/** How far an evaluation has come; times are epoch ms by this browser's clock. */
export type PolicyScanState =
  /** Nobody has looked at it yet. */
  | { readonly is: 'idle' }
  | { readonly is: 'asking' }
  /** The service is busy; asked again at `until`. */
  | { readonly is: 'waiting'; readonly until: number; readonly reason: string }
  /** Results are coming in. */
  | { readonly is: 'reading' }
  | { readonly is: 'done' }
  /** Stopped by the reader. */
  | { readonly is: 'cancelled' }
  /** The answer broke off after it had begun. */
  | { readonly is: 'broken'; readonly problem: ProblemError }
  /** There is no answer. */
  | { readonly is: 'refused'; readonly problem: ProblemError }

/** An evaluation at one moment; replaced as a whole when anything changes. */
export interface PolicyScanView {
  readonly state: PolicyScanState
  /** The results that have arrived, by policy. */
  readonly groups: readonly PolicyGroup[]
  /** How many results have arrived. */
  readonly results: number
  /** Parts of the answer that are no results; never taken for a pass. */
  readonly unreadable: number
  /** Epoch ms; undefined before the first question. */
  readonly startedAt: number | undefined
  /** Epoch ms; undefined while it goes on. */
  readonly endedAt: number | undefined
  /** The record of it that the proxy announced; undefined where none did. */
  readonly record: string | undefined
}

/** One evaluation, as a store. */
export interface PolicyScan {
  /** The first listener starts it; when the last one leaves it half way, it ends and is forgotten. */
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => PolicyScanView
  /** Evaluates anew, whatever there was. */
  readonly run: () => void
  /** Ends it; what has arrived stays. */
  readonly cancel: () => void
}

/** Before anything was asked. */
export const scanAtRest: PolicyScanView = {
  state: { is: 'idle' },
  groups: [],
  results: 0,
  unreadable: 0,
  startedAt: undefined,
  endedAt: undefined,
  record: undefined,
}

/** Whether an evaluation is going on. */
export function isRunning({ is }: PolicyScanState): boolean {
  return is === 'asking' || is === 'waiting' || is === 'reading'
}

/** Attempts in a row at a service that is busy. */
const mostAttempts = 8
/** Results are told together while they come fast, ms; of many, more seldom, as all are grouped. */
const tellEveryMs = { shortest: 100, longest: 1000 }
/** After so much work in one go, ms, the browser gets to draw. */
const longestGoMs = 8

/** What an evaluation is made with. */
interface PolicyScanOptions {
  readonly ask: AskForScan
  readonly clock: Clock
  /** 0 up to 1. */
  readonly random: () => number
}

/**
 * An evaluation that has not begun yet. A service that is busy (429, 503) is asked again later, with
 * jitter and never before its Retry-After; what has arrived is kept whatever happens.
 */
export function createPolicyScan(
  question: PolicyScanQuestion,
  { ask, clock, random }: PolicyScanOptions,
): PolicyScan {
  const listeners = new Set<() => void>()
  let view = scanAtRest
  let arrived = createResultGroups()
  let running: AbortController | undefined
  let stopTelling: (() => void) | undefined

  function tell(change: Partial<PolicyScanView>): void {
    stopTelling?.()
    stopTelling = undefined
    const results = arrived.count()
    const groups = view.results === results ? view.groups : arrived.groups()
    view = { ...view, groups, results, ...change }
    for (const listener of listeners) listener()
  }

  function tellSoon(): void {
    const { shortest, longest } = tellEveryMs
    const pauseMs = Math.min(longest, Math.max(shortest, arrived.count() / 20))
    stopTelling ??= clock.after(pauseMs, () => {
      tell({})
    })
  }

  function end(state: PolicyScanState): void {
    running = undefined
    tell({ state, endedAt: clock.now() })
  }

  function start(): void {
    running?.abort()
    running = new AbortController()
    arrived = createResultGroups()
    view = { ...scanAtRest, state: { is: 'asking' }, startedAt: clock.now() }
    tell({})
    void run(running.signal)
  }

  async function run(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted
    for (let failures = 1; ; failures++) {
      try {
        const response = await ask(question, signal)
        if (isOver()) return
        await read(response, signal)
        return
      } catch (error) {
        if (isOver()) return
        const fault = faultOf(error)
        if (!isBusy(fault) || failures === mostAttempts) {
          end({ is: 'refused', problem: fault })
          return
        }
        const retryAfterMs = fault.retryAfterMs
        const ms = backOffMs({ failures, retryMs: undefined, retryAfterMs, random })
        tell({ state: { is: 'waiting', until: clock.now() + ms, reason: fault.message } })
        await wait(clock, ms, signal)
        if (isOver()) return
        tell({ state: { is: 'asking' } })
      }
    }
  }

  async function read(response: Response, signal: AbortSignal): Promise<void> {
    tell({
      state: { is: 'reading' },
      record: response.headers.get(evaluationHeader) ?? undefined,
    })
    try {
      let since = clock.now()
      for await (const parts of readScanAnswer(response)) {
        if (signal.aborted) return
        const isFirst = arrived.count() === 0
        let unreadable = 0
        for (const part of parts) {
          for (const result of part.results) arrived.add(result)
          unreadable += part.unreadable
        }
        view = { ...view, unreadable: view.unreadable + unreadable }
        if (isFirst) tell({})
        else tellSoon()
        if (clock.now() - since < longestGoMs) continue
        await wait(clock, 0, signal)
        since = clock.now()
      }
      if (!signal.aborted) end({ is: 'done' })
    } catch (error) {
      if (!signal.aborted) end({ is: 'broken', problem: faultOf(error) })
    }
  }

  function stop(): void {
    running?.abort()
    running = undefined
    stopTelling?.()
    stopTelling = undefined
  }

  return {
    subscribe: (listener) => {
      listeners.add(listener)
      if (view.state.is === 'idle') start()
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0 || !isRunning(view.state)) return
        stop()
        arrived = createResultGroups()
        view = scanAtRest
      }
    },
    getSnapshot: () => view,
    run: start,
    cancel: () => {
      if (!isRunning(view.state)) return
      stop()
      end({ is: 'cancelled' })
    },
  }
}

function isBusy({ status, problem }: ProblemError): boolean {
  // The browser's own 503s: nothing was asked, so that a person decides.
  return status === 429 || (status === 503 && !/:(?:offline|unreachable)$/.test(problem.type))
}

function faultOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  return new ProblemError(
    problem(500, 'unexpected', 'Unexpected failure', 'Sightline failed to read the answer.'),
    { cause: error },
  )
}

/** The evaluations of this page. */
export interface PolicyScans {
  /** The evaluation of this question: the one from before, so that a step back shows it as it was. */
  readonly open: (question: PolicyScanQuestion) => PolicyScan
}

/** As many as somebody may step back to. */
const mostKept = 12

/** Evaluations, of which the ones opened last are kept. */
export function createPolicyScans(options: PolicyScanOptions): PolicyScans {
  const kept = new Map<string, PolicyScan>()
  return {
    open: (question) => {
      const { address, scan, sha256, repositoryUrl } = question
      const key = `${policyScanPath(address, scan)} ${sha256} ${repositoryUrl}`
      const found = kept.get(key) ?? createPolicyScan(question, options)
      kept.delete(key)
      kept.set(key, found)
      const [oldest] = kept.keys()
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
      return found
    },
  }
}

/** Asks for an evaluation; resolves when the answer begins. */
type AskForScan = (question: PolicyScanQuestion, signal: AbortSignal) => Promise<Response>

/**
 * Evaluations through the proxy, each result to be sent as soon as it is ready. Throws a ProblemError
 * with the status that was answered.
 */
export function createAskForScan(request: StreamedRequest): AskForScan {
  return ({ address, scan, sha256, repositoryUrl }, signal) =>
    request(`/upstream/governor${policyScanPath(address, scan)}`, { sha256, repositoryUrl }, signal)
}

/**
 * The parts of an evaluation's answer as they arrive, those that came together in one list. Throws a
 * ProblemError where the answer breaks off, and the one that a service put into its answer after it
 * had begun; what came before is told first.
 */
export async function* readScanAnswer(
  response: Response,
): AsyncGenerator<readonly PolicyAnswer[], void, undefined> {
  for await (const values of readJsonParts(response, byAttestation)) {
    const parts: PolicyAnswer[] = []
    let failure: ProblemError | undefined
    for (const value of values) {
      failure = failureOf(value)
      if (failure !== undefined) break
      parts.push(value === undefined ? noResult : readPolicyAnswer(value))
    }
    yield parts
    if (failure !== undefined) throw failure
  }
}

/** The first generation of the service answers with one object (protocol/policy-result.ts). */
const byAttestation = { lists: 'results', head: 'storeUri', values: 'evaluations' }

const noResult: PolicyAnswer = { results: [], unreadable: 1 }

/** A result has its status in words, a problem in digits: nothing is both. */
function failureOf(value: unknown): ProblemError | undefined {
  const isTold = typeof value === 'object' && value !== null && 'status' in value
  if (!isTold || typeof value.status !== 'number') return undefined
  const fault = ProblemDetail.safeParse(value)
  return fault.success ? new ProblemError(fault.data) : undefined
}

/** Results that come in one by one, put together by their policy. */
export interface ResultGroups {
  readonly add: (result: PolicyResult) => void
  /** How many results there are. */
  readonly count: () => number
  /**
   * As `groupByPolicy` gives them. Policies that got no result since the last call are the same
   * objects, so that a long answer costs no more at its end than at its beginning.
   */
  readonly groups: () => readonly PolicyGroup[]
}

/** No results yet. */
export function createResultGroups(): ResultGroups {
  const growing = new Map<string, GrowingGroup>()
  const given = new Map<string, PolicyGroup>()
  const changed = new Set<string>()
  let count = 0
  return {
    add: (result) => {
      const key = policyKey(result.policyUri)
      const group = growing.get(key)
      if (group === undefined) growing.set(key, createGrowingGroup(key, result))
      else group.add(result)
      changed.add(key)
      count += 1
    },
    count: () => count,
    groups: () => {
      for (const key of changed) {
        const group = growing.get(key)?.soFar()
        if (group !== undefined) given.set(key, group)
      }
      changed.clear()
      return [...given.values()]
    },
  }
}
