import { factsFromAttributes } from '../../../facts/facts-from-attributes.ts'
import { mergedFacts } from '../../../facts/merged-facts.ts'
import { backOffMs } from '../../../protocol/back-off.ts'
import { type BuildSummary, toBuildMessage } from '../../../protocol/build-data.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import type { Request } from '../core/request.ts'
import { createFeedFacts } from '../live/feed-filter.ts'
import type { Feed } from '../live/feed-state.ts'
import {
  type BuildListReader,
  createBuildListReader,
  isFilteredHere,
  type ListAbility,
  type PageAnswer,
  untriedAbility,
} from './build-list-reader.ts'
import { createListWalk } from './list-walk.ts'

/** Whether a build matches a query, as far as its facts tell. */
export type Verdict = 'yes' | 'no' | 'unknown'

/** What is searched for. */
export interface BuildQuestion {
  /** In the search language, times with their zones, as a server is to get it; undefined: all. */
  readonly query: string | undefined
  /** The same, answered here. */
  readonly verdict: (facts: Facts) => Verdict
  /** Epoch ms: no build that started before this matches. */
  readonly from?: number
}

/** A build that was found. */
export interface FoundBuild {
  readonly facts: Facts
  /**
   * `unknown` where the server does not search and the facts do not tell; of a server that
   * searches it is always `yes`.
   */
  readonly verdict: 'yes' | 'unknown'
}

/** How far a search has come; times are epoch ms by this browser's clock. */
export type SearchState =
  /** Nobody has asked for anything yet. */
  | { readonly is: 'idle' }
  | { readonly is: 'reading' }
  /** The server was busy; asked again at `until`. */
  | { readonly is: 'waiting'; readonly until: number; readonly reason: string }
  /** As much was found as was asked for; there may be more. */
  | { readonly is: 'resting' }
  /** Stopped by the reader. */
  | { readonly is: 'cancelled' }
  /** The end of the list. With a note where it ended otherwise than by an empty page. */
  | { readonly is: 'done'; readonly note?: string }
  /** The server does not accept the query. */
  | { readonly is: 'refused'; readonly problem: ProblemError }
  /** A page could not be had; what was found before it stays. */
  | { readonly is: 'failed'; readonly problem: ProblemError }

/** A search at one moment; replaced as a whole when anything changes. */
export interface BuildSearchView {
  readonly state: SearchState
  /** In the order of the list, `ability.order`. */
  readonly found: readonly FoundBuild[]
  /** How many builds the server has given, matching or not. */
  readonly read: number
  /** How many of those found cannot be told to match. */
  readonly untold: number
  /** How many the server says to match though what is known of them says they do not. */
  readonly disputed: number
  /** Elements of the list that were no builds. */
  readonly malformed: number
  /** When the last build that was read was received, epoch ms. */
  readonly reached: number | undefined
  readonly ability: ListAbility
  /** How many builds are asked for at once. */
  readonly pageSize: number
}

/** A search of the build list, as a store outside React. */
export interface BuildSearch {
  /** The first listener starts it; a while after the last one left it stands still. */
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => BuildSearchView
  /** Goes on until 100 more are found, the end is reached, or too much was read in vain. */
  readonly more: () => void
  /** Goes on to the end. */
  readonly all: () => void
  /** Asks again for the page that could not be had, and goes on as far as was wanted. */
  readonly retry: () => void
  readonly cancel: () => void
}

/** Before anything was asked; pages of `pageSize` builds will be. */
export function searchAtRest(pageSize: number): BuildSearchView {
  return {
    state: { is: 'idle' },
    found: [],
    read: 0,
    untold: 0,
    disputed: 0,
    malformed: 0,
    reached: undefined,
    ability: untriedAbility,
    pageSize,
  }
}

const nothing = searchAtRest(0)

/** In place of a search where there is nothing that could be asked. */
export const noSearch: BuildSearch = {
  subscribe: () => () => undefined,
  getSnapshot: () => nothing,
  more: () => undefined,
  all: () => undefined,
  retry: () => undefined,
  cancel: () => undefined,
}

/** What can happen to a search. */
type SearchHappening =
  | { readonly type: 'asked' }
  | {
      readonly type: 'page'
      readonly found: readonly FoundBuild[]
      readonly disputed: number
      readonly read: number
      readonly malformed: number
      readonly reached: number | undefined
      readonly ability: ListAbility
    }
  | { readonly type: 'waits'; readonly until: number; readonly reason: string }
  | { readonly type: 'resized'; readonly pageSize: number }
  | { readonly type: 'rested' }
  | { readonly type: 'cancelled' }
  | { readonly type: 'ended'; readonly note?: string }
  | { readonly type: 'refused'; readonly problem: ProblemError }
  | { readonly type: 'failed'; readonly problem: ProblemError }

/** The search after something happened to it. */
function afterHappening(view: BuildSearchView, happening: SearchHappening): BuildSearchView {
  if (happening.type === 'page') {
    const { found, disputed, read, malformed, reached, ability } = happening
    return {
      ...view,
      found: found.length === 0 ? view.found : [...view.found, ...found],
      read: view.read + read,
      untold: view.untold + found.filter(({ verdict }) => verdict === 'unknown').length,
      disputed: view.disputed + disputed,
      malformed: view.malformed + malformed,
      reached: reached ?? view.reached,
      ability,
    }
  }
  const smaller = happening.type === 'resized' ? { pageSize: happening.pageSize } : {}
  return { ...view, ...smaller, state: stateAfter(happening) }
}

function stateAfter(happening: Exclude<SearchHappening, { type: 'page' }>): SearchState {
  switch (happening.type) {
    case 'asked':
    case 'resized':
      return { is: 'reading' }
    case 'waits':
      return { is: 'waiting', until: happening.until, reason: happening.reason }
    case 'rested':
      return { is: 'resting' }
    case 'cancelled':
      return { is: 'cancelled' }
    case 'ended':
      return { is: 'done', ...(happening.note === undefined ? {} : { note: happening.note }) }
    case 'refused':
      return { is: 'refused', problem: happening.problem }
    case 'failed':
      return { is: 'failed', problem: happening.problem }
  }
}

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
  const sentence = 'Reading the response failed.'
  return new ProblemError(problem(500, 'search-failed', 'Search failed', sentence), {
    cause: error,
  })
}

/** The searches of this page. */
export interface BuildSearches {
  /** The search of this key: the one that was begun before, so that a step back shows it as it was. */
  readonly open: (key: string, question: () => BuildQuestion) => BuildSearch
  /** Forgets what was found, so that the next one to open it begins anew. */
  readonly forget: (key: string) => void
  /** The list itself, for those who only count. */
  readonly reader: BuildListReader
}

/** What searches are made with. */
export interface BuildSearchesOptions {
  readonly request: Request
  readonly clock: Clock
  readonly random: () => number
  /** Knows facts of builds that are live. */
  readonly feed: Feed
}

/** As many as somebody may step back to. */
const mostKept = 8

/** Searches that share what was learned of the server; the ones opened last are kept. */
export function createBuildSearches(options: BuildSearchesOptions): BuildSearches {
  const { clock, random } = options
  const reader = createBuildListReader(options.request)
  const factsOf = createFeedFacts(options.feed)
  const kept = new Map<string, BuildSearch>()
  return {
    reader,
    open: (key, question) => {
      const search =
        kept.get(key) ?? createBuildSearch(question(), { reader, clock, random, factsOf })
      kept.delete(key)
      kept.set(key, search)
      const [oldest] = kept.keys()
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
      return search
    },
    forget: (key) => {
      kept.delete(key)
    },
  }
}
