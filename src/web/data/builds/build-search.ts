import type { Clock } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { createKeeper } from '../../../protocol/keyed.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import { asProblem, attempts, isBusy } from '../core/attempts.ts'
import type { Request } from '../core/request.ts'
import { createStore, type Readable } from '../core/store.ts'
import { createFeedFacts } from '../live/feed-filter.ts'
import type { ReadFacts } from '../insight/server-insight.ts'
import type { Feed } from '../live/feed-state.ts'
import {
  type BuildListReader,
  createBuildListReader,
  type ListAbility,
  type OnLoss,
  untriedAbility,
} from './build-list-reader.ts'
import { type BuildExport, createBuildExport, type BuildFile } from './build-export.ts'
import {
  createBuildPages,
  type FoundBuild,
  type FoundPage,
  type SearchRequest,
  unsureOf,
} from './build-pages.ts'

/** How far a search has come; times are epoch ms by this browser's clock. */
export type SearchState =
  /** Nobody has listened yet. */
  | { readonly is: 'idle' }
  /** Waiting for a page since `since`. */
  | { readonly is: 'reading'; readonly since: number }
  /** The server was busy; requested again at `until`. */
  | { readonly is: 'waiting'; readonly until: number; readonly reason: string }
  /** As much was found as was wanted; there may be more. */
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
  /** Newest first. */
  readonly found: readonly FoundBuild[]
  /** How many builds the server has given, matching or not. */
  readonly read: number
  /** How many of those found may not match. */
  readonly unsure: number
  /** How many match according to the server, though not by their facts. */
  readonly disputed: number
  /** Of how many builds the events were asked for, each in a request of its own: in all, and for the last page. */
  readonly byEvents: { readonly all: number; readonly lately: number }
  /** Elements of the list that were no builds. */
  readonly malformed: number
  /** When the last build that was read was received, epoch ms. */
  readonly reached: number | undefined
  readonly ability: ListAbility
  readonly pageSize: number
  /** Builds that came since the search began and match, newest first; not among those found yet. */
  readonly newer: readonly FoundBuild[]
  /** Whether there are more of those than were read: only a search that begins anew shows all. */
  readonly isNewerOpen: boolean
}

/** A search of the build list: the first listener starts it; a while after the last one left it stops. */
export interface BuildSearch extends Readable<BuildSearchView> {
  /** Goes on until 100 more are found, the end is reached, or too much was read in vain. */
  readonly more: () => void
  /** Goes on to the end. */
  readonly all: () => void
  /** Goes on until so many builds were read in all, or the end is reached. */
  readonly upTo: (read: number) => void
  /** Requests the page that failed again, and goes on as far as was wanted. */
  readonly retry: () => void
  readonly cancel: () => void
  /** Looks once for builds that came since; a fault is as if there were none. */
  readonly lookForNewer: () => Promise<void>
  /** Puts the newer builds before those that were found. */
  readonly showNewer: () => void
  /** Whether a build may match, by what is known of it elsewhere. */
  readonly mayMatch: (facts: Facts) => boolean
}

/** Before anything was requested; pages of `pageSize` builds will be. */
export function searchAtRest(pageSize: number): BuildSearchView {
  return {
    state: { is: 'idle' },
    found: [],
    read: 0,
    unsure: 0,
    disputed: 0,
    byEvents: { all: 0, lately: 0 },
    malformed: 0,
    reached: undefined,
    ability: untriedAbility,
    pageSize,
    newer: [],
    isNewerOpen: false,
  }
}

const nothing = searchAtRest(0)

/** In place of a search where there is nothing to request. */
export const noSearch: BuildSearch = {
  subscribe: () => () => undefined,
  getSnapshot: () => nothing,
  more: () => undefined,
  all: () => undefined,
  upTo: () => undefined,
  retry: () => undefined,
  cancel: () => undefined,
  lookForNewer: () => Promise.resolve(),
  showNewer: () => undefined,
  mayMatch: () => false,
}

const pageSize = 100
/** An export reads longer pages: nobody waits for the first of them. */
const exportPageSize = 500
/** Read at most so many builds for one step where the server does not search. */
const mostInVain = 2000
/** Read so many at most for one step where each build's events are read, which is a request of its own. */
export const eventStep = 1000
/** So many newer builds are read at most. */
const mostNewer = 100
/** Attempts in a row at a page of a server that is busy. */
const mostAttempts = 6
/** A long list is published once a second at most, as the screen counts all of it each time. */
const longList = 1000
const publishEveryMs = { shortest: 250, longest: 1000 }
/** A search without a listener for so long, ms, is stopped. */
const graceMs = 10_000

export interface BuildSearchOptions {
  readonly reader: BuildListReader
  readonly clock: Clock
  /** 0 up to 1. */
  readonly random: () => number
  /** What is known of a build from elsewhere. */
  readonly factsOf: (buildId: string) => Facts | undefined
  readonly readFacts: ReadFacts
}

/**
 * A search that has not begun yet. Pages are read by cursor until enough was found or an empty one
 * came; each is tried again as long as that may help, in smaller parts where the server is too slow
 * for it (504), and what was found before is kept whatever happens.
 */
export function createBuildSearch(
  wanted: SearchRequest,
  { reader, clock, random, factsOf, readFacts }: BuildSearchOptions,
): BuildSearch {
  const pages = createBuildPages(wanted, {
    reader,
    factsOf,
    readFacts,
    pageSize,
    onRequest: (max) => {
      change({ state: { is: 'reading', since: clock.now() }, pageSize: max })
    },
  })
  let view = searchAtRest(pageSize)
  let goal: Goal = { found: pageSize, read: mostInVain, byEvents: eventStep }
  let running: AbortController | undefined
  const open = (): (() => void) => {
    if (isUnfinished(view.state.is)) start()
    return stop
  }
  const store = createStore(view, { clock, open, graceMs })

  function change(part: Partial<BuildSearchView>): void {
    view = { ...view, ...part }
    const isPassing = part.state === undefined || part.state.is === 'reading'
    if (!isPassing || view.read <= longList) {
      store.set(view)
      return
    }
    const { shortest, longest } = publishEveryMs
    store.setSoon(Math.min(longest, Math.max(shortest, view.read / 50)), () => view)
  }

  function start(): void {
    if (running !== undefined || view.state.is === 'done') return
    running = new AbortController()
    void search(running.signal)
  }

  /** Whoever is notified may start it again at once. */
  function finish(state: SearchState): void {
    running = undefined
    change({ state })
  }

  function stop(): void {
    running?.abort()
    running = undefined
  }

  /** Reads pages until there is a reason to stop. */
  async function search(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted
    try {
      while (!isReached(goal, view)) {
        const answer = await attempts(() => pages.next(signal), {
          clock,
          random,
          signal,
          most: mostAttempts,
          mayRetry: isBusy,
          onWait: ({ problem, until }) => {
            change({ state: { is: 'waiting', until, reason: problem.message } })
          },
        })
        if (isOver()) return
        const end = answer.ok ? take(answer) : { is: 'refused' as const, problem: answer.refusal }
        if (isOver()) return
        if (end !== undefined) {
          finish(end)
          return
        }
      }
      finish({ is: 'resting' })
    } catch (error) {
      if (!isOver()) finish({ is: 'failed', problem: asProblem(error) })
    }
  }

  /** Adds a page to what was found; the state that it ends the search with, if it does. */
  function take(page: FoundPage): SearchState | undefined {
    const { found, ability, end } = page
    change({
      found: found.length === 0 ? view.found : [...view.found, ...found],
      read: view.read + page.read,
      unsure: view.unsure + unsureOf(found),
      disputed: view.disputed + page.disputed,
      byEvents: { all: view.byEvents.all + page.byEvents, lately: page.byEvents },
      malformed: view.malformed + page.malformed,
      reached: page.reached ?? view.reached,
      ability,
    })
    return end === undefined ? undefined : { is: 'done', ...end }
  }

  function aim(next: Omit<Goal, 'byEvents'>): void {
    goal = { ...next, byEvents: view.byEvents.all + eventStep }
  }

  let isLooking = false

  async function lookForNewer(): Promise<void> {
    if (isLooking || isUnfinished(view.state.is) || view.isNewerOpen) return
    isLooking = true
    try {
      const came = await pages.newer(mostNewer, new AbortController().signal)
      if (came.found.length === 0 && !came.isOpen) return
      change({ newer: [...came.found, ...view.newer], isNewerOpen: came.isOpen })
    } catch {
      // The list that is shown is no worse for it, and the next look may come through.
    } finally {
      isLooking = false
    }
  }

  function showNewer(): void {
    const { newer, found, read, unsure } = view
    if (newer.length === 0) return
    change({
      found: [...newer, ...found],
      read: read + newer.length,
      unsure: unsure + unsureOf(newer),
      newer: [],
      isNewerOpen: false,
    })
  }

  return {
    subscribe: store.subscribe,
    getSnapshot: store.getSnapshot,
    more: () => {
      aim({ found: view.found.length + pageSize, read: view.read + mostInVain })
      start()
    },
    all: () => {
      goal = { found: Infinity, read: Infinity, byEvents: Infinity }
      start()
    },
    upTo: (read) => {
      aim({ found: Infinity, read })
      start()
    },
    retry: start,
    lookForNewer,
    showNewer,
    mayMatch: (facts) => wanted.verdict(facts) !== 'no',
    cancel: () => {
      if (running === undefined) return
      stop()
      goal = { found: 0, read: 0, byEvents: 0 }
      change({ state: { is: 'cancelled' } })
    },
  }
}

/** How many builds are to be found, or read, before a search rests. */
interface Goal {
  readonly found: number
  readonly read: number
  /** Of so many at most the events are asked for. */
  readonly byEvents: number
}

function isReached(goal: Goal, { found, read, byEvents }: BuildSearchView): boolean {
  return found.length >= goal.found || read >= goal.read || byEvents.all >= goal.byEvents
}

/** Begun and given up without a listener, or never begun. */
function isUnfinished(state: string): boolean {
  return state === 'idle' || state === 'reading' || state === 'waiting'
}

export interface BuildSearches {
  /** The search of this key: the one that was begun before, so that a step back shows it as it was. */
  readonly open: (key: string, request: () => SearchRequest) => BuildSearch
  /** Reads all that matches and writes it to a file page by page, without keeping it. */
  readonly export: (request: SearchRequest, file: BuildFile) => BuildExport
  /** Forgets what was found, so that the next one to open it begins anew. */
  readonly forget: (key: string) => void
  /** The list itself, for those who only count. */
  readonly reader: BuildListReader
}

export interface BuildSearchesOptions {
  readonly request: Request
  readonly clock: Clock
  readonly random: () => number
  /** Knows facts of builds that are live. */
  readonly feed: Feed
  readonly onLoss: OnLoss
  readonly readFacts: ReadFacts
}

/** As many as a person steps back to. */
const mostKept = 8

/** Searches that share what was learned of the server; the ones opened last are kept. */
export function createBuildSearches(options: BuildSearchesOptions): BuildSearches {
  const { clock, random, readFacts } = options
  const reader = createBuildListReader(options.request, clock, options.onLoss)
  const factsOf = createFeedFacts(options.feed)
  const kept = createKeeper<BuildSearch>(mostKept)
  return {
    reader,
    open: (key, request) =>
      kept.open(key, () =>
        createBuildSearch(request(), { reader, clock, random, factsOf, readFacts }),
      ),
    export: (request, file) =>
      createBuildExport(
        createBuildPages(request, { reader, factsOf, readFacts, pageSize: exportPageSize }),
        { clock, random, file },
      ),
    forget: kept.forget,
  }
}
