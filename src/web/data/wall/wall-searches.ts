import type { Clock } from '../../../protocol/clock.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { SharedSearch, sharedSearchAddress } from '../../../protocol/wall.ts'
import type { Request } from '../core/request.ts'

/** How a tile stands with the proxy's search. */
export type SearchStanding =
  /** Not yet answered. */
  | { readonly is: 'asking' }
  /** `problem` where the newest try failed and the picture before it is shown. */
  | { readonly is: 'answered'; readonly problem: string | undefined }
  /** The server or the proxy does not search: only the feed tells. */
  | { readonly is: 'unsupported' }
  | { readonly is: 'failed'; readonly problem: string }

/** What the searches of a wall are made with; `ask` throws a ProblemError. */
export interface WallSearchesOptions {
  readonly ask: (query: string, signal: AbortSignal) => Promise<SharedSearch>
  readonly clock: Clock
  readonly random: () => number
  readonly onAnswer: (query: string, answer: SharedSearch) => void
  readonly onStanding: (query: string, standing: SearchStanding) => void
}

/** The searches of a wall's tiles. */
export interface WallSearches {
  /** Asks for this query, too, from now on. */
  readonly add: (query: string) => void
  /** Asks no more for what is not among these. */
  readonly keep: (queries: ReadonlySet<string>) => void
  readonly start: () => void
  readonly stop: () => void
}

const atOnce = 4
/** Again after so long, ms, and up to half of it later: screens do not ask in step. */
const againMs = 30_000
const unsupportedMs = 600_000
const lookMs = 500

/** Asks for each query in turn, a few at a time, and again and again while it is started. */
export function createWallSearches(options: WallSearchesOptions): WallSearches {
  const { ask, clock, random } = options
  const due = new Map<string, number>()
  const running = new Map<string, AbortController>()
  let cancel: (() => void) | undefined
  let backOffUntil = 0

  function look(): void {
    cancel = clock.after(lookMs, look)
    const now = clock.now()
    if (now < backOffUntil) return
    for (const [query, at] of due) {
      if (running.size >= atOnce) return
      if (at <= now && !running.has(query)) void run(query)
    }
  }

  async function run(query: string): Promise<void> {
    const leaving = new AbortController()
    running.set(query, leaving)
    let waitMs = againMs
    try {
      const answer = await ask(query, leaving.signal)
      if (leaving.signal.aborted) return
      options.onAnswer(query, answer)
      options.onStanding(query, standingOf(answer))
      if (answer.search === 'unsupported') waitMs = unsupportedMs
      else waitMs = Math.max(answer.search === 'unknown' ? 2000 : againMs, answer.pollMs)
    } catch (error) {
      if (leaving.signal.aborted) return
      waitMs = takeFault(query, error)
    } finally {
      // Stopped and started again, the query may be asked anew already.
      if (running.get(query) === leaving) running.delete(query)
      if (!leaving.signal.aborted) {
        due.set(query, clock.now() + waitMs * (1 + random() / 2))
      }
    }
    // Where four were asked for at once, the next need not wait to be looked for.
    if (cancel !== undefined) {
      cancel()
      look()
    }
  }

  /** How long to wait before asking again, ms; Infinity where that would not help. */
  function takeFault(query: string, error: unknown): number {
    const fault = error instanceof ProblemError ? error : undefined
    // A proxy without the search has nothing at its address.
    if (fault?.status === 404) {
      options.onStanding(query, { is: 'unsupported' })
      return unsupportedMs
    }
    const problem = fault?.message ?? 'The search failed.'
    options.onStanding(query, { is: 'failed', problem })
    if (fault?.status === 400) return Infinity
    // What the proxy cannot do for one it cannot do for the others either.
    if (fault?.retryAfterMs !== undefined) backOffUntil = clock.now() + fault.retryAfterMs
    return Math.max(againMs / 2, fault?.retryAfterMs ?? 0)
  }

  return {
    add: (query) => {
      if (!due.has(query)) due.set(query, 0)
    },
    keep: (queries) => {
      for (const query of [...due.keys()]) {
        if (queries.has(query)) continue
        running.get(query)?.abort()
        running.delete(query)
        due.delete(query)
      }
    },
    start: () => {
      if (cancel === undefined) look()
    },
    stop: () => {
      cancel?.()
      cancel = undefined
      for (const leaving of running.values()) leaving.abort()
      running.clear()
    },
  }
}

function standingOf({ search, problem }: SharedSearch): SearchStanding {
  if (search === 'unsupported') return { is: 'unsupported' }
  const text = problem === null ? undefined : (problem.detail ?? problem.title)
  if (search === 'unknown') {
    return text === undefined ? { is: 'asking' } : { is: 'failed', problem: text }
  }
  return { is: 'answered', problem: text }
}

/**
 * Asks the proxy for the newest builds of a query, which it asks the server for once for all screens.
 * Throws a ProblemError.
 */
export function createAskShared(
  request: Request,
): (query: string, signal: AbortSignal) => Promise<SharedSearch> {
  return (query, signal) => request(sharedSearchAddress(query), SharedSearch, { signal })
}
