import { factsFromAttributes } from '../../../facts/facts-from-attributes.ts'
import { mergedFacts } from '../../../facts/merged-facts.ts'
import { backOffMs } from '../../../protocol/back-off.ts'
import { type BuildSummary, toBuildMessage } from '../../../protocol/build-summary.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import type { BuildListReader, PageAnswer } from './build-list-reader.ts'
import {
  type BuildQuestion,
  type BuildSearch,
  type FoundBuild,
  isFilteredHere,
  searchAtRest,
} from './build-search.ts'
import { createListWalk } from './list-walk.ts'
import { afterHappening, type SearchHappening } from './build-search-state.ts'

const pageSize = 100
/** Read at most so many builds for one step where the server does not search. */
const mostInVain = 2000
/** Attempts in a row at a page of a server that is busy. */
const mostAttempts = 6
/** Of a long list the screen is told once a second at most, as it is counted anew each time. */
const longList = 1000
const tellEveryMs = { shortest: 250, longest: 1000 }
/** Whoever leaves the page for so long, ms, does not wait for the rest. */
const graceMs = 10_000

/** What a search is made with. */
export interface BuildSearchOptions {
  readonly reader: BuildListReader
  readonly clock: Clock
  /** 0 up to 1. */
  readonly random: () => number
  /** What is known of a build from elsewhere. */
  readonly factsOf: (buildId: string) => Facts | undefined
}

/**
 * A search that has not begun yet. Pages are read by cursor until enough was found or an empty one
 * came; each is tried again as long as that may help, in smaller parts where the server is too slow
 * for it (504), and what was found before is kept whatever happens.
 */
export function createBuildSearch(
  question: BuildQuestion,
  { reader, clock, random, factsOf }: BuildSearchOptions,
): BuildSearch {
  const listeners = new Set<() => void>()
  const walk = createListWalk(question.from)
  let view = searchAtRest(pageSize)
  /** How many are to be found, and how many read at most, before it rests. */
  let goal = { found: pageSize, read: mostInVain }
  let running: AbortController | undefined
  let stopTelling: (() => void) | undefined
  let stopLeaving: (() => void) | undefined

  function tell(happening: SearchHappening): void {
    view = afterHappening(view, happening)
    const isPassing = happening.type === 'asked' || happening.type === 'page'
    if (!isPassing || view.read <= longList) {
      tellNow()
      return
    }
    const { shortest, longest } = tellEveryMs
    const pauseMs = Math.min(longest, Math.max(shortest, view.read / 50))
    stopTelling ??= clock.after(pauseMs, tellNow)
  }

  function tellNow(): void {
    stopTelling?.()
    stopTelling = undefined
    for (const listener of listeners) listener()
  }

  function start(): void {
    if (running !== undefined || view.state.is === 'done') return
    running = new AbortController()
    void run(running.signal)
  }

  /** Whoever is told may start it again at once. */
  function finish(happening: SearchHappening): void {
    running = undefined
    tell(happening)
  }

  function stop(): void {
    running?.abort()
    running = undefined
  }

  async function run(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted
    for (let failures = 0; ;) {
      if (view.found.length >= goal.found || view.read >= goal.read) {
        finish({ type: 'rested' })
        return
      }
      tell({ type: 'asked' })
      try {
        const wanted = { query: question.query, after: walk.last(), from: question.from }
        const max = view.pageSize
        const answer = await reader.page({ ...wanted, max, withAttributes: true }, signal)
        if (isOver()) return
        failures = 0
        if (take(answer)) return
      } catch (error) {
        if (isOver()) return
        failures += 1
        const fault = faultOf(error)
        if (fault.status === 504 && view.pageSize > 1) {
          walk.isTooLong(view.pageSize)
          tell({ type: 'resized', pageSize: Math.floor(view.pageSize / 2) })
        } else if (isBusy(fault) && failures < mostAttempts) {
          const ms = backOffMs({
            failures,
            retryMs: undefined,
            retryAfterMs: fault.retryAfterMs,
            random,
          })
          tell({ type: 'waits', until: clock.now() + ms, reason: fault.message })
          await wait(clock, ms, signal)
          if (isOver()) return
        } else {
          finish({ type: 'failed', problem: fault })
          return
        }
      }
    }
  }

  /** Whether that was the end. */
  function take(answer: PageAnswer): boolean {
    if (!answer.ok) {
      finish({ type: 'refused', problem: answer.refusal })
      return true
    }
    const { page, ability } = answer
    const { fresh, then } = walk.take(page, ability, view.pageSize)
    const isHere = isFilteredHere({ ability }) && question.query !== undefined
    const judged = fresh.map((build) => judge(build, isHere))
    tell({
      type: 'page',
      found: judged.flatMap(({ found }) => found ?? []),
      disputed: judged.filter(({ isDisputed }) => isDisputed).length,
      read: fresh.length,
      malformed: page.malformed,
      reached: fresh.at(-1)?.availableAt,
      ability,
    })
    if (then.is === 'longer') tell({ type: 'resized', pageSize: then.pageSize })
    if (then.is !== 'end') return false
    finish({ type: 'ended', ...(then.note === undefined ? {} : { note: then.note }) })
    return true
  }

  function judge(build: BuildSummary, isHere: boolean): Judged {
    const told = factsFromAttributes(toBuildMessage(build), build.models ?? {})
    const facts = told.outcome === undefined ? (mergedFacts(told, factsOf(build.id)) ?? told) : told
    const verdict = question.verdict(facts)
    if (!isHere) return { found: { facts, verdict: 'yes' }, isDisputed: verdict === 'no' }
    return { found: verdict === 'no' ? undefined : { facts, verdict }, isDisputed: false }
  }

  function leave(): void {
    stopLeaving = clock.after(graceMs, stop)
  }

  return {
    subscribe: (listener) => {
      stopLeaving?.()
      stopLeaving = undefined
      listeners.add(listener)
      if (isUnfinished(view.state.is)) start()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) leave()
      }
    },
    getSnapshot: () => view,
    more: () => {
      goal = { found: view.found.length + pageSize, read: view.read + mostInVain }
      start()
    },
    all: () => {
      goal = { found: Infinity, read: Infinity }
      start()
    },
    retry: start,
    cancel: () => {
      if (running === undefined) return
      stop()
      goal = { found: 0, read: 0 }
      tell({ type: 'cancelled' })
    },
  }
}

interface Judged {
  readonly found: FoundBuild | undefined
  readonly isDisputed: boolean
}

/** Begun and given up when nobody looked, or never begun. */
function isUnfinished(state: string): boolean {
  return state === 'idle' || state === 'reading' || state === 'waiting'
}

function isBusy({ status }: ProblemError): boolean {
  return status === 429 || status === 503
}

function faultOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  const sentence = 'This page failed while it read the answer.'
  return new ProblemError(problem(500, 'search-failed', 'Search failed', sentence), {
    cause: error,
  })
}
