import { type Clock, wait } from '../../../protocol/clock.ts'
import { SharedSearch, sharedSearchAddress } from '../../../protocol/shared-search.ts'
import { asProblem, attempts } from '../core/attempts.ts'
import type { Request } from '../core/request.ts'

export type SearchStanding =
  | { readonly is: 'loading' }
  /** `problem` where the newest try failed and the picture before it is shown. */
  | { readonly is: 'answered'; readonly problem: string | undefined }
  /** The server or the proxy does not search: the feed alone brings builds. */
  | { readonly is: 'unsupported' }
  | { readonly is: 'failed'; readonly problem: string }

/** What the searches of a wall are made with; `request` throws a ProblemError. */
export interface WallSearchesOptions {
  readonly request: (query: string, signal: AbortSignal) => Promise<SharedSearch>
  readonly clock: Clock
  readonly random: () => number
  readonly onAnswer: (query: string, answer: SharedSearch) => void
  readonly onStanding: (query: string, standing: SearchStanding) => void
}

export interface WallSearches {
  /** Requests this query, too, from now on. */
  readonly add: (query: string) => void
  /** Requests no more what is not among these. */
  readonly keep: (queries: ReadonlySet<string>) => void
  /** Requests at once what had a problem: whoever couldn't respond is back. */
  readonly retry: () => void
  readonly start: () => void
  readonly stop: () => void
}

const atOnce = 4
/** Again after so long, ms, and up to half of it later: screens do not request in step. */
const againMs = 30_000
const unsupportedMs = 600_000
/** While there is a response of the server to come, or a better one: the proxy says when. */
const soonMs = 2000

/** Requests each query, a few at a time, and again and again while it is started. */
export function createWallSearches(options: WallSearchesOptions): WallSearches {
  const { request, clock, random, onAnswer } = options
  const queries = new Set<string>()
  const running = new Map<string, AbortController>()
  const waiting: (() => void)[] = []
  let free = atOnce
  let isStarted = false
  /** Those that had a problem when they were last requested. */
  const failed = new Set<string>()
  /** What the proxy cannot do for one query it cannot do for the others either. */
  let quietUntil = 0

  function onStanding(query: string, standing: SearchStanding): void {
    if ('problem' in standing && standing.problem !== undefined) failed.add(query)
    else failed.delete(query)
    options.onStanding(query, standing)
  }

  function begin(query: string): void {
    if (!isStarted || running.has(query)) return
    const leaving = new AbortController()
    running.set(query, leaving)
    void follow(query, leaving.signal)
  }

  function end(query: string): void {
    running.get(query)?.abort()
    running.delete(query)
  }

  async function follow(query: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = await search(query, signal)
      if (waitMs === undefined) return
      await wait(clock, waitMs * (1 + random() / 2), signal)
    }
  }

  /** Searches until there is an answer; says when to search again, ms, undefined where never. */
  async function search(query: string, signal: AbortSignal): Promise<number | undefined> {
    try {
      const answer = await attempts(
        (attempt) => {
          attempt.retryAfter(againMs / 2)
          return inTurn(() => request(query, signal), signal)
        },
        {
          clock,
          random,
          signal,
          mayRetry: ({ status }) => status !== 400 && status !== 404,
          onWait: ({ problem }) => {
            quietUntil = Math.max(quietUntil, clock.now() + (problem.retryAfterMs ?? 0))
            onStanding(query, { is: 'failed', problem: problem.message })
          },
        },
      )
      signal.throwIfAborted()
      onAnswer(query, answer)
      onStanding(query, standingOf(answer))
      if (answer.search === 'unsupported') return unsupportedMs
      const isWhole = answer.search === 'supported' && answer.problem === null
      return Math.max(isWhole ? againMs : soonMs, answer.pollMs)
    } catch (error) {
      if (signal.aborted) return undefined
      const { status, message } = asProblem(error)
      // A proxy without the search has nothing at its address.
      if (status === 404) {
        onStanding(query, { is: 'unsupported' })
        return unsupportedMs
      }
      onStanding(query, { is: 'failed', problem: message })
      return undefined
    }
  }

  async function inTurn<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    while (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    free -= 1
    try {
      if (quietUntil > clock.now()) await wait(clock, quietUntil - clock.now(), signal)
      signal.throwIfAborted()
      return await work()
    } finally {
      free += 1
      waiting.shift()?.()
    }
  }

  return {
    add: (query) => {
      queries.add(query)
      begin(query)
    },
    retry: () => {
      for (const query of [...failed]) {
        failed.delete(query)
        if (!queries.has(query)) continue
        end(query)
        begin(query)
      }
    },
    keep: (kept) => {
      for (const query of [...queries]) {
        if (kept.has(query)) continue
        queries.delete(query)
        end(query)
      }
    },
    start: () => {
      isStarted = true
      queries.forEach(begin)
    },
    stop: () => {
      isStarted = false
      queries.forEach(end)
    },
  }
}

function standingOf({ search, problem }: SharedSearch): SearchStanding {
  if (search === 'unsupported') return { is: 'unsupported' }
  const text = problem === null ? undefined : (problem.detail ?? problem.title)
  if (search === 'unknown') {
    return text === undefined ? { is: 'loading' } : { is: 'failed', problem: text }
  }
  return { is: 'answered', problem: text }
}

/** The newest builds of a query from the proxy, which asks once for all screens. Throws a ProblemError. */
export function createSharedSearch(
  request: Request,
): (query: string, signal: AbortSignal) => Promise<SharedSearch> {
  return (query, signal) => request(sharedSearchAddress(query), SharedSearch, { signal })
}
