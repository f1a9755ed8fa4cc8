import { backOffMs } from '../../../protocol/back-off.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { evaluationHeader } from '../../../protocol/evaluation.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { readScanAnswer } from './policy-scan-answer.ts'
import type { AskForScan } from './policy-scan-request.ts'
import { createResultGroups } from './result-groups.ts'
import {
  isRunning,
  type PolicyScan,
  type PolicyScanQuestion,
  type PolicyScanState,
  type PolicyScanView,
  scanAtRest,
} from './policy-scan.ts'

/** Attempts in a row at a service that is busy. */
const mostAttempts = 8
/** Results are told together while they come fast, ms; of many, more seldom, as all are grouped. */
const tellEveryMs = { shortest: 100, longest: 1000 }
/** After so much work in one go, ms, the browser gets to draw. */
const longestGoMs = 8

/** What an evaluation is made with. */
export interface PolicyScanOptions {
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
