import { Hono } from 'hono'
import { isBuildId } from '../../protocol/build-id.ts'
import {
  findBuild,
  lastPosition,
  type Listing,
  positionBefore,
  positionOf,
} from '../store/build-listing.ts'
import type { StoredBuild } from '../store/build-rows.ts'
import { notFound, stillBeingStored } from './api-problem.ts'
import type { Authorisation } from './authorisation.ts'
import { BuildList, OneBuild, PlainBuildList } from './build-list-query.ts'
import { summaries } from './build-models.ts'
import { collectBuilds, collectFound, type SearchSource } from './collect-builds.ts'
import { readQuery } from './query-parameters.ts'
import { readSearch } from './read-search.ts'

/** The release of the contract that is followed; its shape is the one of real servers. */
const version = { string: '2026.2', year: 2026, release: 2, patch: 0 }

/**
 * The build list and what belongs to it (docs/services.md#build-list). Paths are below `/api`. With
 * `models` false it knows the parameters of the oldest servers and nothing else, and never waits: `query` is an unknown one then.
 */
export function createBuildDataService(
  source: SearchSource,
  authorisation: Authorisation,
  models: boolean,
): Hono {
  const { database } = source
  const app = new Hono()
  const permission = 'accessBuildDataViaApi'

  app.get('/builds', async (c) => {
    await authorisation.rest(c.req.header('Authorization'), permission)
    const list = models
      ? readQuery(BuildList, c.req.queries())
      : { ...readQuery(BuildList, {}), since: 0, ...readQuery(PlainBuildList, c.req.queries()) }
    const query = list.query === undefined ? undefined : readSearch(list.query)
    const listing = await listingOf(source, list)
    const waitMs = models && listing.newestFirst !== true ? list.maxWaitSecs * 1000 : 0
    const limits = { max: list.maxBuilds, waitMs, signal: c.req.raw.signal }
    const builds = await (query === undefined
      ? collectBuilds(source, listing, limits)
      : collectFound(source, listing, query, limits))
    return c.json(await summaries(database, builds, list))
  })
  if (!models) return app

  app.get('/builds/:id', async (c) => {
    await authorisation.rest(c.req.header('Authorization'), permission)
    const asked = readQuery(OneBuild, c.req.queries())
    const waitMs = asked.availabilityWaitTimeoutSecs * 1000
    const build = await readable(source, c.req.param('id'), waitMs, c.req.raw.signal)
    const [summary] = await summaries(database, [build], asked)
    return c.json(summary)
  })

  app.get('/version', async (c) => {
    await authorisation.rest(c.req.header('Authorization'), null)
    return c.json(version)
  })
  return app
}

/** From where, in the order of precedence that the parameters have. */
async function listingOf({ database }: SearchSource, list: BuildList): Promise<Listing> {
  const { fromBuild, fromInstant, sinceBuild, since } = list
  const named = fromInstant !== undefined || fromBuild !== undefined
  const newestFirst = list.reverse && (named || (sinceBuild ?? since) === undefined)
  const cursor = fromBuild ?? (fromInstant === undefined ? sinceBuild : undefined)
  if (cursor !== undefined) {
    const position = isBuildId(cursor) ? await positionOf(database, cursor) : undefined
    if (position === undefined) throw notFound(`There is no build ${cursor} to go on from.`)
    return newestFirst ? { newestFirst, before: position } : { after: position }
  }
  const instant = fromInstant ?? since
  if (newestFirst) {
    return {
      newestFirst,
      ...(instant === undefined || instant === 0 ? {} : { receivedBefore: instant }),
    }
  }
  if (instant === undefined) return { after: await lastPosition(database) }
  return { after: await positionBefore(database, instant + 1), receivedFrom: instant + 1 }
}

/** A build whose data is stored, waited for until the time is over. */
async function readable(
  { database, arrivals, clock }: SearchSource,
  buildId: string,
  waitMs: number,
  signal: AbortSignal,
): Promise<StoredBuild> {
  const deadline = clock.now() + waitMs
  for (;;) {
    const seen = arrivals.count()
    const build = isBuildId(buildId) ? await findBuild(database, buildId) : undefined
    if (build === undefined) throw notFound()
    if (build.readable) return build
    const left = deadline - clock.now()
    if (left <= 0 || signal.aborted || arrivals.isClosed()) throw stillBeingStored(buildId)
    await arrivals.wait(seen, left, signal)
  }
}
