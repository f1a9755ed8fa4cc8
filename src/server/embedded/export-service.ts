import { type Context, Hono } from 'hono'
import type { ExportVersion } from '../../protocol/build-export.ts'
import { isBuildId, toVersion1 } from '../../protocol/build-message.ts'
import type { Clock } from '../../protocol/clock.ts'
import { encodeSse, encodeSseComment } from '../../protocol/sse.ts'
import { lastEventId, readEvents, type StoredEvent } from '../store/build-events.ts'
import {
  findBuild,
  lastPosition,
  listBuilds,
  positionBefore,
  positionOf,
} from '../store/build-listing.ts'
import { messageOf, type StoredBuild } from '../store/build-rows.ts'
import type { Database } from '../store/database.ts'
import { invalidRequest, notFound, stillBeingStored } from './api-problem.ts'
import type { Arrivals } from './arrivals.ts'
import { type Authorisation, isBearer } from './credentials.ts'
import { acceptsGzip, sseBody, sseHeaders, type SseTexts } from './sse-body.ts'

/**
 * The build export stream service, both versions (docs/services.md#build-export-stream). Paths are
 * below `/build-export`. Throws ProblemErrors, which the app answers as problem details.
 */
export function createExportService(source: ExportSource, authorisation: Authorisation): Hono {
  const app = new Hono()
  // Browsers send a preflight without the credential
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
    if (after === undefined) throw notFound(`Build ${buildId} not found.`)
    return listing(c, { after, receivedFrom: 0 })
  })

  app.get('/build/:buildId/events', async (c) => {
    const buildId = requireBuildId(c.req.param('buildId'))
    const build = await findBuild(database, buildId)
    if (build === undefined) throw notFound(`Build ${buildId} not found.`)
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
      `Build ${buildId} is a ${toolType} build. Version 1 has gradle builds only; use version 2.`,
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
      `The date "${text}" must be "now" or a whole number of milliseconds since 1970.`,
    )
  }
  if (date > now) throw invalidRequest(`The date ${text} is in the future.`)
  return date
}

function requireBuildId(text: string): string {
  if (isBuildId(text)) return text
  throw invalidRequest(`"${text}" isn't a build id, which has 13 letters and digits.`)
}

/** Where a listing begins and how it goes on. */
export interface ExportListing {
  readonly version: ExportVersion
  /** Builds after this position. */
  readonly after: number
  /** Of those, the ones received at or after this instant, epoch ms. */
  readonly receivedFrom: number
  /** Whether it stays open for builds to come. */
  readonly live: boolean
}

/** What a listing reads from. */
interface ExportSource {
  readonly database: Database
  readonly arrivals: Arrivals
  readonly clock: Clock
  /** How long a live stream stays silent before a comment, ms. */
  readonly heartbeatMs: number
}

const pageSize = 500

/**
 * The Build messages of a listing in order of receipt, as texts of up to 500 messages
 * (docs/services.md#export-streaming). A live one goes on until its signal aborts or the service
 * closes, with a comment at once and whenever nothing was sent for a while. It looks again at each
 * comment, so that builds stored by another process on the same database come through as well.
 */
export async function* exportListing(
  { database, arrivals, clock, heartbeatMs }: ExportSource,
  { version, after, receivedFrom, live }: ExportListing,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  let position = after
  let quietSince = -Infinity
  // A finite listing goes on when the service closes: cut short it would look complete.
  while (!signal.aborted && !(live && arrivals.isClosed())) {
    const seen = arrivals.count()
    const page = await listBuilds(database, { after: position, receivedFrom }, pageSize)
    position = page.at(-1)?.position ?? position
    const text = page.map((build) => encodeBuild(build, version)).join('')
    if (text !== '') {
      quietSince = clock.now()
      yield text
    } else if (page.length === 0) {
      if (!live) return
      const silence = clock.now() - quietSince
      if (silence >= heartbeatMs) {
        quietSince = clock.now()
        yield encodeSseComment('heartbeat')
      } else {
        await arrivals.wait(seen, heartbeatMs - silence, signal)
      }
    }
  }
}

/**
 * A build as its message, with its id as the message's. Version 1 has builds of Gradle alone: those
 * of other tools are no text at all.
 */
function encodeBuild(build: StoredBuild, version: ExportVersion): string {
  const message = { id: build.buildId, event: 'Build' }
  if (version === 'v2') return encodeSse({ ...message, data: build.text })
  return build.toolType === 'gradle'
    ? encodeSse({ ...message, data: JSON.stringify(toVersion1(messageOf(build))) })
    : ''
}

/** Which messages of a build's own stream are requested. */
export interface ExportEvents {
  readonly version: ExportVersion
  /** Of these types; undefined for all. */
  readonly types: ReadonlySet<string> | undefined
  /** The Last-Event-ID of the request. */
  readonly lastEventId: string | undefined
}

/**
 * The messages of a build's own stream: its Build message, then its events in order
 * (docs/services.md#export-events-of-a-build). A Last-Event-ID that is the build's id resumes
 * before its first event, one that is a sequence number after that event. Any other was never sent
 * here, so the stream starts again with the Build message: a reader then begins the build anew and
 * misses nothing.
 */
async function* exportEvents(
  database: Database,
  build: StoredBuild,
  { version, types, lastEventId: resumeId }: ExportEvents,
): AsyncGenerator<string, void, undefined> {
  const after = await resumePoint(database, build, resumeId)
  if (after === undefined) yield encodeBuild(build, version)
  const selection = { after: after ?? 0, ...(types === undefined ? {} : { types }) }
  for await (const events of readEvents(database, build.position, selection)) {
    yield events.map(encodeEvent).join('')
  }
}

async function resumePoint(
  database: Database,
  build: StoredBuild,
  resumeId: string | undefined,
): Promise<number | undefined> {
  if (resumeId === build.buildId) return 0
  const sequence = Number(resumeId)
  if (!Number.isInteger(sequence) || sequence < 1 || String(sequence) !== resumeId) return undefined
  return sequence <= (await lastEventId(database, build.position)) ? sequence : undefined
}

function encodeEvent({ id, text }: StoredEvent): string {
  return encodeSse({ id: String(id), event: 'BuildEvent', data: text })
}
