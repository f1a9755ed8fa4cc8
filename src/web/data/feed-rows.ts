import type { BuildMessage } from '../../protocol/build-message.ts'
import type { Facts } from '../../protocol/facts.ts'
import type { FeedRow } from './feed-snapshot.ts'

/** The newest builds of the feed, numbered as they arrive from 1 on. */
export interface FeedRows {
  /** Adds a build at the end; false where the same build is kept already. */
  readonly add: (build: BuildMessage) => boolean
  /** Joins facts to their build; undefined where it is not kept, else the row as it was before. */
  readonly join: (facts: Facts) => FeedRow | undefined
  /** The row with this arrival, if it is kept. */
  readonly row: (arrival: number) => FeedRow | undefined
  /** The arrival of a build that is kept. */
  readonly arrivalOf: (buildId: string) => number | undefined
  /** The arrivals kept; `oldest > newest` when there are none. */
  readonly oldest: () => number
  readonly newest: () => number
}

/** Keeps at most `limit` builds: the oldest makes way for the newest. */
export function createFeedRows(limit: number): FeedRows {
  const ring: FeedRow[] = []
  const arrivals = new Map<string, number>()
  let newest = 0
  const oldest = (): number => Math.max(1, newest - limit + 1)
  const row = (arrival: number): FeedRow | undefined =>
    arrival >= oldest() && arrival <= newest ? ring[arrival % limit] : undefined

  return {
    add: (build) => {
      if (arrivals.has(build.buildId)) return false
      newest += 1
      const place = newest % limit
      const dropped = ring[place]
      if (dropped !== undefined) arrivals.delete(dropped.build.buildId)
      ring[place] = { arrival: newest, build, facts: undefined }
      arrivals.set(build.buildId, newest)
      return true
    },
    join: (facts) => {
      const arrival = arrivals.get(facts.buildId)
      const before = arrival === undefined ? undefined : row(arrival)
      if (before === undefined) return undefined
      ring[before.arrival % limit] = { ...before, facts }
      return before
    },
    row,
    arrivalOf: (buildId) => arrivals.get(buildId),
    oldest,
    newest: () => newest,
  }
}
