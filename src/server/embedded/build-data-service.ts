import { Hono } from 'hono'
import { isBuildId } from '../../protocol/build-id.ts'
import {
  findBuild,
  lastPosition,
  listBuilds,
  type Listing,
  positionBefore,
  positionOf,
} from '../store/build-listing.ts'
import type { StoredBuild } from '../store/build-rows.ts'
import { invalidRequest, notFound, stillBeingStored } from './api-problem.ts'
import type { Authorisation } from './authorisation.ts'
import { BuildList, OneBuild, PlainBuildList } from './build-list-query.ts'
import { summaries } from './build-models.ts'
import type { ExportSource } from './export-listing.ts'
import { readQuery } from './query-parameters.ts'

type Source = Omit<ExportSource, 'heartbeatMs'>

/** The release of the contract that is followed; its shape is the one of real servers. */
const version = { string: '2026.2', year: 2026, release: 2, patch: 0 }

/**
 * The build list and what belongs to it (spec/3 "GET /api/builds"). Paths are below `/api`. With
 * `models` false it knows the parameters that spec/3 names and nothing else, and never waits.
 */
export function createBuildDataService(
  source: Source,
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
    if (list.query !== undefined) {
      throw invalidRequest('This server does not search yet: leave the parameter query out.')
    }
    const listing = await listingOf(source, list)
    const waitMs = models && listing.newestFirst !== true ? list.maxWaitSecs * 1000 : 0
    const builds = await collect(source, listing, list.maxBuilds, waitMs, c.req.raw.signal)
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
async function listingOf({ database }: Source, list: BuildList): Promise<Listing> {
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

/** Up to `max` builds; waits for more to arrive until there are as many or the time is over. */
async function collect(
  { database, arrivals, clock }: Source,
  listing: Listing,
  max: number,
  waitMs: number,
  signal: AbortSignal,
): Promise<StoredBuild[]> {
  const deadline = clock.now() + waitMs
  const builds: StoredBuild[] = []
  for (;;) {
    const seen = arrivals.count()
    const from = builds.at(-1)?.position
    const rest = from === undefined || listing.newestFirst ? listing : { ...listing, after: from }
    builds.push(...(await listBuilds(database, rest, max - builds.length)))
    const left = deadline - clock.now()
    if (builds.length >= max || left <= 0 || signal.aborted || arrivals.isClosed()) return builds
    await arrivals.wait(seen, left, signal)
  }
}

/** A build whose data is stored, waited for until the time is over. */
async function readable(
  { database, arrivals, clock }: Source,
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
