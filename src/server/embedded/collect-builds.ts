import type { Clock } from '../../protocol/clock.ts'
import type { Query } from '../../search/tree.ts'
import { listBuilds, type Listing } from '../store/build-listing.ts'
import type { StoredBuild } from '../store/build-rows.ts'
import type { Database } from '../store/database.ts'
import type { Arrivals } from './arrivals.ts'
import { findBuilds } from './find-builds.ts'
import type { SearchPreparation } from './search-preparation.ts'
import type { Underway } from './underway.ts'

/** What builds are listed and searched in. */
export interface SearchSource {
  readonly database: Database
  readonly arrivals: Arrivals
  readonly clock: Clock
  readonly underway: Underway
  readonly preparation: SearchPreparation
}

/** How many builds are wanted, and how long to wait for them to arrive, ms. */
export interface CollectLimits {
  readonly max: number
  readonly waitMs: number
  readonly signal: AbortSignal
}

/** Up to `max` builds; waits for more to arrive until there are as many or the time is over. */
export function collectBuilds(
  source: SearchSource,
  listing: Listing,
  limits: CollectLimits,
): Promise<readonly StoredBuild[]> {
  return collect(source, listing, limits, async (rest, max) => {
    const builds = await listBuilds(source.database, rest, max)
    return { builds, upTo: builds.at(-1)?.position ?? rest.after ?? 0 }
  })
}

/**
 * The same of the builds of which a query is true. The time limits the waiting and cuts a page short
 * that has builds already; where there are none yet all builds are looked through, so that an empty
 * page is the end. Oldest first it goes no further than to a build that is still being stored. Throws
 * a ProblemError (503) while builds of an earlier release cannot be searched.
 */
export async function collectFound(
  source: SearchSource,
  listing: Listing,
  query: Query,
  limits: CollectLimits,
): Promise<readonly StoredBuild[]> {
  const { database, clock, underway, preparation } = source
  const { signal, waitMs } = limits
  const now = clock.now()
  const isTimeOver = (): boolean => listing.newestFirst !== true && clock.now() - now >= waitMs
  await preparation.ready(Math.max(waitMs, leastPatienceMs), signal)
  return collect(source, listing, limits, (rest, max) => {
    const heldBack = rest.newestFirst === true ? undefined : underway.first()
    const known = heldBack === undefined ? rest : { ...rest, before: heldBack }
    return findBuilds(database, known, { query, now }, { max, isTimeOver, signal })
  })
}

const leastPatienceMs = 3000

/** Some builds of a listing, and the position behind which it goes on. */
type NextBuilds = (
  rest: Listing,
  max: number,
) => Promise<{ readonly builds: readonly StoredBuild[]; readonly upTo: number }>

async function collect(
  { arrivals, clock }: SearchSource,
  listing: Listing,
  { max, waitMs, signal }: CollectLimits,
  next: NextBuilds,
): Promise<readonly StoredBuild[]> {
  const deadline = clock.now() + waitMs
  const builds: StoredBuild[] = []
  let rest = listing
  while (builds.length < max) {
    const seen = arrivals.count()
    const found = await next(rest, max - builds.length)
    builds.push(...found.builds)
    const left = deadline - clock.now()
    if (builds.length >= max || left <= 0 || signal.aborted || arrivals.isClosed()) break
    if (listing.newestFirst !== true) rest = { ...rest, after: found.upTo }
    await arrivals.wait(seen, left, signal)
  }
  return builds
}
