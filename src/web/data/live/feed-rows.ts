import type { BuildMessage } from '../../../protocol/build-message.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { createBuildColumns } from './build-columns.ts'
import { createBuildIndex } from './build-index.ts'
import type { FeedRow } from './feed-snapshot.ts'

/** The newest builds of the feed, numbered as they arrive from 1 on. */
export interface FeedRows {
  /** Adds a build at the end; false where the same build is kept already. */
  readonly add: (build: BuildMessage) => boolean
  /** Joins facts to their build; undefined where it is not kept, else the row as it was before. */
  readonly join: (facts: Facts) => FeedRow | undefined
  /** The row with this arrival, if it is kept; the same object until facts come. */
  readonly row: (arrival: number) => FeedRow | undefined
  /** The arrival of a build that is kept. */
  readonly arrivalOf: (buildId: string) => number | undefined
  /** The arrivals kept; `oldest > newest` when there are none. */
  readonly oldest: () => number
  readonly newest: () => number
}

/** Keeps at most `limit` builds: the oldest makes way for the newest. */
export function createFeedRows(limit: number): FeedRows {
  const builds = createBuildColumns(limit)
  /** Made when they are first asked for: of a million builds few are ever looked at. */
  const rows = Array.from<FeedRow | undefined>({ length: limit })
  const index = createBuildIndex(limit, builds.hasId)
  let newest = 0

  const oldest = (): number => Math.max(1, newest - limit + 1)
  const placeOf = (arrival: number): number => (arrival - 1) % limit
  /** The newest arrival that has this place. */
  const arrivalAt = (place: number): number => newest - ((newest - 1 - place) % limit)
  const row = (arrival: number): FeedRow | undefined => {
    if (arrival < oldest() || arrival > newest) return undefined
    const place = placeOf(arrival)
    const known = rows[place]
    if (known !== undefined) return known
    const build = builds.get(place)
    if (build !== undefined) rows[place] = { arrival, build, facts: undefined }
    return rows[place]
  }
  const arrivalOf = (buildId: string): number | undefined => {
    const place = index.find(buildId)
    return place === -1 ? undefined : arrivalAt(place)
  }

  return {
    add: (build) => {
      const place = placeOf(newest + 1)
      if (!index.put(build.buildId, place)) return false
      newest += 1
      builds.set(place, build)
      if (rows[place] !== undefined) rows[place] = undefined
      return true
    },
    join: (facts) => {
      const before = row(arrivalOf(facts.buildId) ?? 0)
      if (before !== undefined) rows[placeOf(before.arrival)] = { ...before, facts }
      return before
    },
    row,
    arrivalOf,
    oldest,
    newest: () => newest,
  }
}
