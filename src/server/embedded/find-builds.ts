import { factsOfMessage } from '../../facts/facts-of-message.ts'
import { Facts } from '../../protocol/facts.ts'
import { compile } from '../../search/match.ts'
import type { Query } from '../../search/tree.ts'
import type { Listing } from '../store/build-listing.ts'
import { messageOf, type StoredBuild } from '../store/build-rows.ts'
import { type FoundBuild, searchBuilds } from '../store/build-search.ts'
import type { Database } from '../store/database.ts'
import { necessaryFilter } from './necessary-filter.ts'

/** Some builds of a search. */
export interface FoundPage {
  readonly builds: readonly StoredBuild[]
  /** Up to where everything was looked at, in the order of receipt. */
  readonly upTo: number
}

/** How long a search may take. */
export interface FindOptions {
  readonly max: number
  /** Whether what was found so far is enough. It is not asked while nothing was found. */
  readonly isTimeOver: () => boolean
  readonly signal: AbortSignal
}

/**
 * Up to `max` builds of a listing of which a query is true, in its order. Relative moments are taken
 * from `now`, epoch ms; times without a zone are in UTC (docs/services.md#timestamp-values). An
 * empty page means that there is no such build, unless the signal was aborted.
 */
export async function findBuilds(
  database: Database,
  listing: Listing,
  { query, now }: { readonly query: Query; readonly now: number },
  { max, isTimeOver, signal }: FindOptions,
): Promise<FoundPage> {
  const answer = compile(query, { now, timeZone: 'UTC' })
  const search = searchBuilds(database, listing, necessaryFilter(query, now), {
    wanted: max,
    signal,
  })
  const builds: FoundBuild[] = []
  for (;;) {
    const step = await search.next()
    if (step.done === true) return { builds, upTo: step.value }
    for (const build of step.value) {
      if (builds.length < max && answer(factsOf(build)) === 'yes') builds.push(build)
    }
    const last = builds.at(-1)
    if (last !== undefined && (builds.length >= max || isTimeOver())) {
      await search.return(0)
      return { builds, upTo: last.position }
    }
  }
}

function factsOf(build: FoundBuild): Facts {
  return build.facts === undefined
    ? factsOfMessage(messageOf(build))
    : Facts.parse(JSON.parse(build.facts))
}
