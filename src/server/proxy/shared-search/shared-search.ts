import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import { backOffMs } from '../../../protocol/back-off.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import type { BuildFailure, Facts } from '../../../protocol/facts.ts'
import { createLimit } from '../../../protocol/limit.ts'
import {
  isRetryable,
  problem,
  type ProblemDetail,
  ProblemError,
  problemError,
} from '../../../protocol/problem.ts'
import type { SharedSearch } from '../../../protocol/shared-search.ts'
import type { Notices } from '../../live-log/live-log.ts'
import type { InsightReader } from '../insight/insights.ts'
import type { LiveHub } from '../live/live-hub.ts'
import { withAnyOf } from '../live/waiters.ts'
import type { RouteHandler } from '../sessions.ts'
import { noSession } from '../sign-in/bearer-tokens.ts'
import { createSearchFailures } from './search-failures.ts'
import { createSearchNotices } from './search-notices.ts'
import { readSharedQuery, type SearchList } from './shared-search-list.ts'

/** The newest builds of queries, each requested from the server once for all screens of all processes. */
export interface SharedSearches {
  /**
   * The picture of a query, at once where there is one; else after the first attempt, 10 s at most.
   * Throws a ProblemError: 400 for a query with an error, 429 when there is no room for another one, or
   * `holder` alone wants too many (undefined: nobody is limited).
   */
  readonly request: (query: string, holder?: string) => Promise<SharedSearch>
  /** How many distinct queries are being polled. */
  readonly size: () => number
  /** Ends all polling. */
  readonly close: () => void
}

export interface SharedSearchOptions {
  readonly list: Pick<SearchList, 'newest'>
  /** Where it is read why builds failed; without it that is not learned. */
  readonly failures?: Pick<InsightReader<BuildFailure[]>, 'read'> | undefined
  /** How the processes of an installation notify each other. */
  readonly log: Notices
  /** The process that follows the build server searches for all. */
  readonly hub: Pick<LiveHub, 'follows' | 'hears' | 'untilStatus'>
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  /** How many distinct queries at once; 1,000 by default. */
  readonly most?: number
  /** How many of them may be wanted by one person or screen alone; 300 by default, a wall's tiles. */
  readonly mostOfHolder?: number
}

/**
 * Polls each wanted query about every 30 s while it was requested within the last 90 s, four
 * at a time whatever their number. After 429 and 5xx it waits longer, and nothing at all is requested
 * before a Retry-After has passed; what failed is requested again as soon as the hub hears the server
 * again. Whatever fails, the last picture stays. Where another process
 * follows the build server, it polls, and this one says every 10 s what it wants.
 */
export function createSharedSearches(options: SharedSearchOptions): SharedSearches {
  const { list, hub, clock, random, logger, most = 1000, mostOfHolder = 300 } = options
  const closing = new AbortController()
  const { signal } = closing
  // Every query waits with it; so many are no leak.
  setMaxListeners(0, signal)
  const limit = createLimit(atOnce)
  const failures = createSearchFailures(options.failures)
  const entries = new Map<string, SearchEntry>()
  /** No request before it, epoch ms: Retry-After. */
  let quietUntil = -Infinity

  const isWanted = (entry: SearchEntry): boolean => clock.now() - entry.wantedAt <= wantedMs

  const attempt = async (entry: SearchEntry): Promise<void> => {
    try {
      const builds = await list.newest(entry.query, signal)
      entry.isUnsupported = builds === 'unsupported'
      if (builds !== 'unsupported') entry.picture = { builds, at: clock.now() }
      entry.problem = null
      entry.failures = 0
    } catch (error) {
      if (!(error instanceof ProblemError)) {
        // Its message may quote what the server sent, which nobody has masked.
        const reason = error instanceof Error ? error.name : 'unknown'
        logger.error({ reason }, 'a shared search failed')
      }
      const { problem: detail, retryAfterMs } = error instanceof ProblemError ? error : unforeseen
      entry.problem = detail
      entry.failures++
      if (retryAfterMs !== undefined && isRetryable(detail.status)) {
        quietUntil = Math.max(quietUntil, clock.now() + Math.min(retryAfterMs, longestQuietMs))
      }
    }
  }

  /** Puts into the picture why builds failed, now or when it has been read. */
  const learnFailures = async (entry: SearchEntry): Promise<void> => {
    const { picture } = entry
    if (picture === undefined) return
    const builds = await failures.learn(picture.builds, signal)
    if (entry.picture === picture) entry.picture = { ...picture, builds }
  }

  /** When an entry is next due, ms from now. */
  const delayOf = ({ problem: fault, failures }: SearchEntry): number => {
    if (fault !== null && !isRetryable(fault.status)) return hopelessMs
    const backOff = backOffMs({ failures, retryMs: undefined, retryAfterMs: undefined, random })
    return periodMs * (0.9 + 0.2 * random()) + (failures > 1 ? backOff * failures : 0)
  }

  const pollHere = async (entry: SearchEntry): Promise<void> => {
    // Whoever polled before may have only just done so.
    if (entry.nextAt !== undefined) await wait(clock, entry.nextAt - clock.now(), signal)
    entry.nextAt = undefined
    await limit.tryRun(async () => {
      if (quietUntil > clock.now()) await wait(clock, quietUntil - clock.now(), signal)
      if (!signal.aborted) await attempt(entry)
    }, signal)
    await Promise.race([learnFailures(entry), wait(clock, failuresMs, signal)])
    const delay = Math.min(delayOf(entry), longestDelayMs)
    entry.nextAt = Math.max(clock.now() + delay, quietUntil)
    entry.settleFirst()
    if (clock.now() - entry.wantedElsewhereAt <= wantedMs) {
      notices.publish(answerOf(entry, clock.now()))
    }
    await untilDue(entry, entry.nextAt)
    entry.nextAt = undefined
  }
  const untilDue = async ({ problem: fault }: SearchEntry, at: number): Promise<void> => {
    const done = new AbortController()
    await withAnyOf([signal, done.signal], async (over) => {
      const due = wait(clock, at - clock.now(), over).then(() => {
        done.abort()
      })
      let wasHeard = hub.hears()
      while (fault !== null && !over.aborted) {
        await hub.untilStatus(over)
        if (!wasHeard && hub.hears()) done.abort()
        wasHeard = hub.hears()
      }
      await due
    })
  }
  const requestElsewhere = async (entry: SearchEntry): Promise<void> => {
    const now = clock.now()
    const renewMs = isKnown(entry) ? renewKnownMs : renewNewMs
    if (now - entry.requestedElsewhereAt >= renewMs) {
      entry.requestedElsewhereAt = now
      notices.want({ query: entry.query, agoMs: now - entry.wantedAt, isNew: !isKnown(entry) })
    }
    const done = new AbortController()
    await withAnyOf([signal, done.signal], async (over) => {
      await Promise.race([wait(clock, renewMs, over), hub.untilStatus(over)])
      done.abort()
    })
  }
  /** The whole life of a wanted query. */
  const poll = async (entry: SearchEntry): Promise<void> => {
    while (!signal.aborted && isWanted(entry)) {
      await (hub.follows() ? pollHere(entry) : requestElsewhere(entry))
    }
    forget(entry)
  }
  const forget = (entry: SearchEntry): void => {
    if (entries.get(entry.query) === entry) entries.delete(entry.query)
  }

  /** How many queries nobody else wants: what others want as well costs nothing more. */
  const wantedAlone = (holder: string): number =>
    [...entries.values()].filter((entry) => {
      const { wantedBy } = entry
      for (const [other, at] of wantedBy) if (clock.now() - at > wantedMs) wantedBy.delete(other)
      return isWanted(entry) && wantedBy.size === 1 && wantedBy.has(holder)
    }).length

  const entryOf = (query: string, holder?: string): SearchEntry => {
    const known = entries.get(query)
    if (known !== undefined) return known
    if (holder !== undefined && wantedAlone(holder) >= mostOfHolder)
      throw tooMany(`You show ${mostOfHolder} queries that nobody else does, which is the limit.`)
    if (entries.size >= most)
      [...entries.values()].filter((other) => !isWanted(other)).forEach(forget)
    if (entries.size >= most)
      throw tooMany(`The limit of ${most} distinct wall queries is reached.`)
    const entry = createSearchEntry(query, clock.now())
    entries.set(query, entry)
    void wait(clock, patienceMs, signal).then(entry.settleFirst)
    void poll(entry)
    return entry
  }

  const notices = createSearchNotices(options.log, clock, {
    onWant: ({ query, agoMs, isNew }) => {
      if (!hub.follows()) return
      try {
        const entry = entryOf(query)
        entry.wantedAt = Math.max(entry.wantedAt, clock.now() - agoMs)
        entry.wantedElsewhereAt = clock.now()
        if (isNew && isKnown(entry)) notices.publish(answerOf(entry, clock.now()))
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error
        const none = createSearchEntry(query, clock.now())
        none.problem = error.problem
        notices.publish(answerOf(none, clock.now()))
      }
    },
    onResult: (result) => {
      const entry = entries.get(result.query)
      if (entry !== undefined && !hub.follows()) takeResult(entry, result, clock.now())
    },
  })

  return {
    request: async (text, holder) => {
      const entry = entryOf(readSharedQuery(text), holder)
      entry.wantedAt = clock.now()
      entry.wantedBy.set(holder ?? '', clock.now())
      if (!entry.wasTried) await entry.firstAttempt
      return answerOf(entry, clock.now())
    },
    size: () => entries.size,
    close: () => {
      closing.abort()
      notices.close()
    },
  }
}

/** How often it is said what is wanted of another process: of what it has answered, and before. */
const renewKnownMs = 10_000
const renewNewMs = 2000
const atOnce = 4
const periodMs = 30_000
const wantedMs = 90_000
/** Nobody waits longer for why builds failed: it comes with a later picture. */
const failuresMs = 2000
/** How long the first request waits for a response. */
const patienceMs = 10_000
/** A refused query stays refused, unless the server is replaced. */
const hopelessMs = 5 * 60_000
const longestDelayMs = 5 * 60_000
const longestQuietMs = 10 * 60_000

const unforeseen = problemError(
  502,
  'search-failed',
  'Search failed',
  'Searching the build server failed.',
)

/** Of a search that is waited for longer than `patienceMs`. */
const silent = problemError(
  504,
  'search-silent',
  'No response yet',
  "The build server hasn't responded to this search yet.",
)

function tooMany(limit: string): ProblemError {
  return new ProblemError(
    problem(
      429,
      'too-many-searches',
      'Too many queries',
      `${limit} Show fewer tiles, or reuse queries of other walls. Unused queries are released after two minutes.`,
    ),
    { retryAfterMs: wantedMs },
  )
}

/** What the server last answered to a query. */
interface Picture {
  readonly builds: readonly Facts[]
  /** Epoch ms. */
  readonly at: number
}

/** A query that somebody wants, and what is known of it. */
interface SearchEntry {
  /** Its canonical form, which the server gets. */
  readonly query: string
  /** When it was last requested, epoch ms. */
  wantedAt: number
  /** When each person and screen last requested it here, epoch ms. */
  readonly wantedBy: Map<string, number>
  /** When another process last said that it wants it, and when this one last said so, epoch ms. */
  wantedElsewhereAt: number
  requestedElsewhereAt: number
  /** Outlives faults: an old picture is better than none. */
  picture: Picture | undefined
  isUnsupported: boolean
  problem: ProblemDetail | null
  /** In a row. */
  failures: number
  /** When the server is polled next, epoch ms; undefined while it is. */
  nextAt: number | undefined
  /** Settles with the end of the first attempt, whatever that was, or of the patience for it. */
  readonly firstAttempt: Promise<void>
  wasTried: boolean
  readonly settleFirst: () => void
}

/** An entry of a query that was not requested yet. */
function createSearchEntry(query: string, now: number): SearchEntry {
  let resolveFirst = (): void => undefined
  const firstAttempt = new Promise<void>((resolve) => {
    resolveFirst = resolve
  })
  const entry: SearchEntry = {
    query,
    wantedAt: now,
    wantedBy: new Map(),
    wantedElsewhereAt: -Infinity,
    requestedElsewhereAt: -Infinity,
    picture: undefined,
    isUnsupported: false,
    problem: null,
    failures: 0,
    nextAt: undefined,
    firstAttempt,
    wasTried: false,
    settleFirst: () => {
      entry.wasTried = true
      resolveFirst()
    },
  }
  return entry
}

/** Whether it was ever tried, here or elsewhere. */
function isKnown({ picture, isUnsupported, problem: fault }: SearchEntry): boolean {
  return picture !== undefined || isUnsupported || fault !== null
}

/** Takes over what another process has found out. */
function takeResult(entry: SearchEntry, result: SharedSearch, now: number): void {
  const { builds, ageMs, search } = result
  if (search === 'supported' && ageMs !== null) entry.picture = { builds, at: now - ageMs }
  if (search !== 'unknown') entry.isUnsupported = search === 'unsupported'
  entry.problem = result.problem
  entry.nextAt = now + result.pollMs - soonMs
  entry.settleFirst()
}

/** What a screen is answered at `now`, epoch ms. */
function answerOf(entry: SearchEntry, now: number): SharedSearch {
  const { query, picture, isUnsupported, nextAt } = entry
  return {
    query,
    builds: picture === undefined || isUnsupported ? [] : [...picture.builds],
    askedAt: picture?.at ?? null,
    ageMs: picture === undefined ? null : Math.max(0, now - picture.at),
    pollMs: nextAt === undefined ? soonMs : Math.max(soonMs, nextAt - now + soonMs),
    search: isUnsupported ? 'unsupported' : picture === undefined ? 'unknown' : 'supported',
    problem: entry.problem ?? (entry.wasTried && !isKnown(entry) ? silent.problem : null),
  }
}

/** About as long as an answer of the server takes. */
const soonMs = 1000

/**
 * `GET /live/search?query=…`: the newest builds of a query, from the one poll that all screens share.
 * Throws a ProblemError 400 unless there is exactly one `query`, and what `SharedSearches` throws.
 */
export function sharedSearchRoute(searches: SharedSearches): RouteHandler {
  return async (c) => {
    const [query, ...more] = c.req.queries('query') ?? []
    if (query === undefined || more.length > 0) throw oneQuery()
    const { ended, holder } = c.get('session')
    return c.json(await untilEnded(ended, searches.request(query, holder)))
  }
}

/** What it comes to, unless the session ends before: a ProblemError 401. */
function untilEnded<T>(ended: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      reject(noSession('The session has ended'))
    }
    ended.addEventListener('abort', stop)
    work.then(resolve, reject).finally(() => {
      ended.removeEventListener('abort', stop)
    })
  })
}

function oneQuery(): ProblemError {
  return problemError(400, 'no-query', 'No query', 'Pass the query once, as ?query=….')
}
