import { Hono } from 'hono'
import {
  attributesKey,
  attributesModel,
  type BuildSummary,
  cacheKey,
  cacheModel,
  type Models,
  toBuildSummary,
  toolsWithAttributes,
  toolsWithCache,
  type ToolWithAttributes,
  type ToolWithCache,
} from '../../protocol/build-data.ts'
import { isBuildId } from '../../protocol/build-message.ts'
import type { Clock } from '../../protocol/clock.ts'
import { Facts } from '../../protocol/facts.ts'
import type { Query } from '../../search/tree.ts'
import {
  attributesOf,
  factsTextsOf,
  findBuild,
  lastPosition,
  listBuilds,
  type Listing,
  positionBefore,
  positionOf,
} from '../store/build-listing.ts'
import { messageOf, type StoredBuild } from '../store/build-rows.ts'
import type { Database } from '../store/database.ts'
import { modelNotApplicable, notFound, stillBeingStored } from './api-problem.ts'
import type { Arrivals, PendingWrites } from './arrivals.ts'
import { createBuildStatistics } from './build-statistics.ts'
import { cachePerformance } from './cache-performance.ts'
import type { Counting } from './counting.ts'
import type { Authorisation } from './credentials.ts'
import { findBuilds } from './find-builds.ts'
import {
  BuildList,
  GroupsParameters,
  OneBuild,
  OneModel,
  PlainBuildList,
  readQuery,
  readSearch,
  type RequestedModels,
  TrendsParameters,
} from './query-parameters.ts'
import type { SearchPreparation } from './search-preparation.ts'

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
    if (models && deprecatedParameters.some((name) => c.req.query(name) !== undefined)) {
      for (const [name, value] of Object.entries(deprecation)) c.header(name, value)
    }
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

  const statistics = createBuildStatistics({
    database,
    isWhole: source.counting.isWhole,
    now: source.clock.now,
  })
  app.get('/builds/groups', async (c) => {
    await authorisation.rest(c.req.header('Authorization'), permission)
    const { query, by } = readQuery(GroupsParameters, c.req.queries())
    await source.preparation.ready(leastPatienceMs, c.req.raw.signal)
    const now = source.clock.now()
    const { signal } = c.req.raw
    return c.json(await statistics.groups({ query: readSearch(query), by, now, signal }))
  })
  app.get('/builds/trends', async (c) => {
    await authorisation.rest(c.req.header('Authorization'), permission)
    const { query, ...rest } = readQuery(TrendsParameters, c.req.queries())
    await source.preparation.ready(leastPatienceMs, c.req.raw.signal)
    const now = source.clock.now()
    const { signal } = c.req.raw
    return c.json(await statistics.trends({ query: readSearch(query), ...rest, now, signal }))
  })

  app.get('/builds/:id', async (c) => {
    await authorisation.rest(c.req.header('Authorization'), permission)
    const requested = readQuery(OneBuild, c.req.queries())
    const waitMs = requested.availabilityWaitTimeoutSecs * 1000
    const build = await readable(source, c.req.param('id'), waitMs, c.req.raw.signal)
    const [summary] = await summaries(database, [build], requested)
    return c.json(summary)
  })

  app.get('/builds/:id/:model', async (c) => {
    await authorisation.rest(c.req.header('Authorization'), permission)
    const model = modelsOfOneBuild.get(c.req.param('model'))
    if (model === undefined) throw notFound()
    const { availabilityWaitTimeoutSecs } = readQuery(OneModel, c.req.queries())
    const waitMs = availabilityWaitTimeoutSecs * 1000
    const build = await readable(source, c.req.param('id'), waitMs, c.req.raw.signal)
    const { buildId, toolType, position } = build
    if (model.tool !== toolType) throw modelNotApplicable(buildId, toolType, model.tool)
    if (model.type === 'cache-performance') {
      return c.json(await cacheModelOf(database, build))
    }
    const text = (await attributesOf(database, [position])).get(position)
    if (text === undefined) throw notFound(eventsAlone)
    return c.json(attributesModelOf(buildId, text))
  })

  app.get('/version', async (c) => {
    await authorisation.rest(c.req.header('Authorization'), null)
    return c.json(version)
  })
  return app
}

/** The models that can be requested of one build alone. */
const modelsOfOneBuild = new Map<string, ModelOfOneBuild>()
for (const tool of toolsWithAttributes) {
  modelsOfOneBuild.set(attributesModel(tool), { type: 'attributes', tool })
}
for (const tool of toolsWithCache) {
  modelsOfOneBuild.set(cacheModel(tool), { type: 'cache-performance', tool })
}

interface ModelOfOneBuild {
  readonly type: 'attributes' | 'cache-performance'
  readonly tool: ToolWithAttributes
}

/** What the listing of builds may still be given, and since and until when (RFC 9745, RFC 8594). */
const deprecatedParameters = ['since', 'sinceBuild']
const deprecation = {
  Deprecation: `@${Date.UTC(2023, 6, 1) / 1000}`,
  Sunset: new Date(Date.UTC(2028, 0, 1)).toUTCString(),
  Link: '<https://docs.gradle.com/develocity/api-manual/>; rel="deprecation"; type="text/html"',
}

/** From where, in the order of precedence that the parameters have. */
async function listingOf({ database }: SearchSource, list: BuildList): Promise<Listing> {
  const { fromBuild, fromInstant, sinceBuild, since } = list
  const named = fromInstant !== undefined || fromBuild !== undefined
  const newestFirst = list.reverse && (named || (sinceBuild ?? since) === undefined)
  const cursor = fromBuild ?? (fromInstant === undefined ? sinceBuild : undefined)
  if (cursor !== undefined) {
    const position = isBuildId(cursor) ? await positionOf(database, cursor) : undefined
    if (position === undefined)
      throw notFound(`Build ${cursor} not found, so the list can't continue from it.`)
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

/**
 * Builds as the build data API answers them, with a model or the problem of having none for each
 * model that was requested (docs/services.md#build-models).
 */
async function summaries(
  database: Database,
  builds: readonly StoredBuild[],
  requested: RequestedModels,
): Promise<BuildSummary[]> {
  const tools = requested.allModels ? toolsWithAttributes : requested.models.attributes
  const caches = requested.allModels ? toolsWithCache : requested.models.caches
  if (tools.length === 0 && caches.length === 0) {
    return builds.map((build) => toBuildSummary(messageOf(build)))
  }
  const positions = builds.map((build) => build.position)
  const attributes = await attributesOf(database, positions)
  const found: BuildSummary[] = []
  for (const build of builds) {
    const models = {
      ...modelsOf(build, attributes.get(build.position), tools, requested.skipUnavailableModels),
      ...(await cachesOf(database, build, caches, requested.skipUnavailableModels)),
    }
    found.push({ ...toBuildSummary(messageOf(build)), models })
  }
  return found
}

/** What the build cache saved, of the builds that have used one. */
async function cachesOf(
  database: Database,
  build: StoredBuild,
  tools: readonly ToolWithCache[],
  skipUnavailable: boolean,
): Promise<Models> {
  const { buildId, toolType, readable } = build
  const answers: Models = {}
  for (const tool of tools) {
    if (tool !== toolType) {
      answers[cacheKey(tool)] = { problem: modelNotApplicable(buildId, toolType, tool).problem }
    } else if (readable) {
      answers[cacheKey(tool)] = { model: await cacheModelOf(database, build) }
    } else if (!skipUnavailable) {
      answers[cacheKey(tool)] = { problem: stillBeingStored(buildId).problem }
    }
  }
  return answers
}

async function cacheModelOf(database: Database, build: StoredBuild): Promise<object> {
  const facts = (await factsTextsOf(database, [build.position])).get(build.position)
  const durationMs = facts === undefined ? null : Facts.parse(JSON.parse(facts)).durationMs
  return cachePerformance(database, build, durationMs ?? 0)
}

function modelsOf(
  build: StoredBuild,
  attributes: string | undefined,
  tools: readonly ToolWithAttributes[],
  skipUnavailable: boolean,
): Models {
  const { buildId, toolType, readable } = build
  const answers: Models = {}
  for (const tool of tools) {
    if (tool !== toolType) {
      answers[attributesKey(tool)] = {
        problem: modelNotApplicable(buildId, toolType, tool).problem,
      }
    } else if (readable && attributes !== undefined) {
      answers[attributesKey(tool)] = { model: attributesModelOf(buildId, attributes) }
    } else if (!skipUnavailable) {
      const { problem } = readable ? notFound(eventsAlone) : stillBeingStored(buildId)
      answers[attributesKey(tool)] = { problem }
    }
  }
  return answers
}

const eventsAlone = 'This build has no attributes: only its events were recorded.'

/** The attributes as stored; lists that were never stored are empty, as clients rely on them. */
function attributesModelOf(id: string, json: string): object {
  const value: unknown = JSON.parse(json)
  const stored = typeof value === 'object' && value !== null ? value : {}
  return { id, tags: [], values: [], links: [], ...stored }
}

/** What builds are listed and searched in. */
interface SearchSource {
  readonly database: Database
  readonly arrivals: Arrivals
  readonly clock: Clock
  readonly pending: PendingWrites
  readonly preparation: SearchPreparation
  readonly counting: Pick<Counting, 'isWhole'>
}

/** How many builds are wanted, and how long to wait for them to arrive, ms. */
export interface CollectLimits {
  readonly max: number
  readonly waitMs: number
  readonly signal: AbortSignal
}

/** Up to `max` builds; waits for more to arrive until there are as many or the time is over. */
function collectBuilds(
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
async function collectFound(
  source: SearchSource,
  listing: Listing,
  query: Query,
  limits: CollectLimits,
): Promise<readonly StoredBuild[]> {
  const { database, clock, pending, preparation } = source
  const { signal, waitMs } = limits
  const now = clock.now()
  const isTimeOver = (): boolean => listing.newestFirst !== true && clock.now() - now >= waitMs
  await preparation.ready(Math.max(waitMs, leastPatienceMs), signal)
  return collect(source, listing, limits, (rest, max) => {
    const heldBack = rest.newestFirst === true ? undefined : pending.first()
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

/**
 * Where the builds that attestations name have their pages on a real server: `/s/<id>`. A reader is
 * sent on to the dashboard where there is one (`dashboard` gives its address); without, a small page
 * says where the data is. It shows nothing of a build, so that no credential is needed.
 */
export function createBuildPages(database: Database, dashboard: () => string | undefined): Hono {
  const app = new Hono()
  app.get('/:id', async (c) => {
    const id = c.req.param('id')
    const build = isBuildId(id) ? await findBuild(database, id) : undefined
    if (build === undefined) return c.html(page('Build not found.'), 404)
    const address = dashboard()
    return address === undefined
      ? c.html(
          page(
            `This is build ${id}. The embedded services have no build pages. Open it in Sightline, or request <code>/api/builds/${id}</code> with an access key.`,
          ),
        )
      : c.redirect(`${address}/builds/${id}`, 302)
  })
  return app
}

function page(text: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Sightline embedded services</title>
<p>${text}</p>
</html>
`
}
