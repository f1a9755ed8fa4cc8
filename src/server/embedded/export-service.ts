import { type Context, Hono } from 'hono'
import { isBuildId } from '../../protocol/build-id.ts'
import type { ExportVersion } from '../../protocol/export-paths.ts'
import { findBuild, lastPosition, positionBefore, positionOf } from '../store/build-listing.ts'
import type { StoredBuild } from '../store/build-rows.ts'
import { invalidRequest, notFound, stillBeingStored } from './api-problem.ts'
import { type Authorisation, isBearer } from './authorisation.ts'
import { exportEvents } from './export-events.ts'
import { exportListing, type ExportSource } from './export-listing.ts'
import { sseBody, type SseTexts } from './sse-body.ts'
import { acceptsGzip, sseHeaders } from './sse-headers.ts'

/**
 * The build export stream service, both versions (docs/services.md#build-export-stream). Paths are
 * below `/build-export`. Throws ProblemErrors, which the app answers as problem details.
 */
export function createExportService(source: ExportSource, authorisation: Authorisation): Hono {
  const app = new Hono()
  // Browsers ask without the credential whether they may send it
  // (docs/services.md#export-cross-origin).
  app.options('*', (c) => c.body(null, 204, preflightHeaders))
  app.use(async (c, next) => {
    await next()
    if (isBearer(c.req.header('Authorization'))) {
      c.res.headers.set('Access-Control-Allow-Origin', '*')
    }
  })
  app.use(async (c, next) => {
    await authorisation.export(c.req.header('Authorization'), 'exportData')
    await next()
  })
  app.route('/v1', routes(source, 'v1'))
  app.route('/v2', routes(source, 'v2'))
  return app
}

function routes(source: ExportSource, version: ExportVersion): Hono {
  const { database, clock } = source
  const app = new Hono()

  app.get('/builds/since/:date', async (c) => {
    const date = c.req.param('date')
    const receivedFrom = date === 'now' ? 0 : instant(date, clock.now())
    const after =
      date === 'now' ? await lastPosition(database) : await positionBefore(database, receivedFrom)
    return listing(c, { after, receivedFrom })
  })

  app.get('/builds/sinceBuild/:buildId', async (c) => {
    const buildId = requireBuildId(c.req.param('buildId'))
    const after = await positionOf(database, buildId)
    if (after === undefined) throw notFound(`There is no build ${buildId}.`)
    const build = await findBuild(database, buildId)
    if (build !== undefined) requireOffered(build)
    return listing(c, { after, receivedFrom: 0 })
  })

  app.get('/build/:buildId/events', async (c) => {
    const buildId = requireBuildId(c.req.param('buildId'))
    const build = await findBuild(database, buildId)
    if (build === undefined) throw notFound(`There is no build ${buildId}.`)
    requireOffered(build)
    if (!build.readable) throw stillBeingStored(buildId)
    const names = (c.req.queries('eventTypes') ?? []).flatMap((list) => list.split(','))
    const types = new Set(names.filter((name) => name !== ''))
    const lastEventId = c.req.header('Last-Event-ID')
    const selection = { version, types: types.size === 0 ? undefined : types, lastEventId }
    return finite(c, exportEvents(database, build, selection))
  })

  async function listing(
    c: Context,
    start: { readonly after: number; readonly receivedFrom: number },
  ): Promise<Response> {
    const live = c.req.query('stream') !== undefined
    // An id that is not known was not sent by this server, or long ago: the request then begins
    // where it says itself, as a reader can drop what it knows but not find what it missed.
    const after = (await resumePoint(c.req.header('Last-Event-ID'))) ?? start.after
    const builds = { ...start, after, version, live }
    return live
      ? stream(c, (signal) => exportListing(source, builds, signal))
      : finite(c, exportListing(source, builds, c.req.raw.signal))
  }

  async function resumePoint(id: string | undefined): Promise<number | undefined> {
    return id === undefined || !isBuildId(id) ? undefined : positionOf(database, id)
  }

  function requireOffered({ buildId, toolType }: StoredBuild): void {
    if (version === 'v2' || toolType === 'gradle') return
    throw invalidRequest(
      `Build ${buildId} is a ${toolType} build: version 1 has builds of gradle alone, version 2 has all.`,
    )
  }

  return app
}

const preflightHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET',
  'Access-Control-Allow-Headers': 'Authorization, Accept, Cache-Control, Last-Event-ID',
  'Access-Control-Max-Age': '600',
}

/** All there is, then the end; 204 where there is nothing (docs/services.md#export-completion). */
async function finite(
  c: Context,
  texts: AsyncGenerator<string, void, undefined>,
): Promise<Response> {
  const first = await texts.next()
  if (first.done === true) return c.body(null, 204)
  return stream(c, async function* () {
    yield first.value
    yield* texts
  })
}

function stream(c: Context, texts: SseTexts): Response {
  const gzip = acceptsGzip(c.req.header('Accept-Encoding'))
  return c.body(sseBody(texts, gzip), 200, sseHeaders(gzip))
}

function instant(text: string, now: number): number {
  const date = Number(text)
  if (!Number.isSafeInteger(date) || date < 0 || String(date) !== text) {
    throw invalidRequest(
      `The date "${text}" is neither "now" nor a whole number of milliseconds since 1970.`,
    )
  }
  if (date > now) throw invalidRequest(`The date ${text} is in the future.`)
  return date
}

function requireBuildId(text: string): string {
  if (isBuildId(text)) return text
  throw invalidRequest(
    `"${text}" is not a build id: one has 13 characters, lower-case letters and digits.`,
  )
}
