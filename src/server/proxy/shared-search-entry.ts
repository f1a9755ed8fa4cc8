import type { Facts } from '../../protocol/facts.ts'
import type { ProblemDetail } from '../../protocol/problem.ts'
import type { SharedSearch } from '../../protocol/shared-search.ts'

/** What the server last answered to a query. */
interface Picture {
  readonly builds: readonly Facts[]
  /** Epoch ms. */
  readonly at: number
}

/** A query that somebody wants, and what is known of it. */
export interface SearchEntry {
  /** Its canonical form: what the server is asked. */
  readonly query: string
  /** When somebody last asked, epoch ms. */
  wantedAt: number
  /** Outlives faults: an old picture is better than none. */
  picture: Picture | undefined
  isUnsupported: boolean
  problem: ProblemDetail | null
  /** In a row. */
  failures: number
  /** When the server is asked next, epoch ms; undefined while it is being asked. */
  nextAt: number | undefined
  /** Settles with the end of the first attempt, whatever that was, or of the patience for it. */
  readonly firstAttempt: Promise<void>
  wasTried: boolean
  readonly settleFirst: () => void
}

/** An entry of a query that nobody has asked for yet. */
export function createSearchEntry(query: string, now: number): SearchEntry {
  let resolveFirst = (): void => undefined
  const firstAttempt = new Promise<void>((resolve) => {
    resolveFirst = resolve
  })
  const entry: SearchEntry = {
    query,
    wantedAt: now,
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

/** What a screen is answered at `now`, epoch ms. */
export function answerOf(entry: SearchEntry, now: number): SharedSearch {
  const { query, picture, isUnsupported, nextAt } = entry
  return {
    query,
    builds: picture === undefined || isUnsupported ? [] : [...picture.builds],
    askedAt: picture?.at ?? null,
    ageMs: picture === undefined ? null : Math.max(0, now - picture.at),
    pollMs: nextAt === undefined ? soonMs : Math.max(soonMs, nextAt - now + soonMs),
    search: isUnsupported ? 'unsupported' : picture === undefined ? 'unknown' : 'supported',
    problem: entry.problem,
  }
}

/** About as long as an answer of the server takes. */
const soonMs = 1000
