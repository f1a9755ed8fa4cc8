import type { Logger } from 'pino'
import { type Clock, hourMs, minuteMs, wait } from '../protocol/clock.ts'
import { SharedConfig } from '../protocol/proxy-config.ts'
import { openCompany } from '../server/embedded-company.ts'
import {
  buildsBetween,
  type CompanyPace,
  type RecordedBuild,
} from '../server/embedded/content/history.ts'
import type { Embedded } from '../server/embedded/embedded.ts'
import { createMemoryLog } from '../server/live-log/memory-log.ts'
import { createChanges } from '../server/proxy/changes/changes.ts'
import { createHistory } from '../server/proxy/history/history.ts'
import { createBuildInsights } from '../server/proxy/insight/insight-routes.ts'
import { createLiveHub } from '../server/proxy/live/live-hub.ts'
import { createProxy, type Proxy } from '../server/proxy/proxy.ts'
import { createScreens } from '../server/proxy/screens/screen-routes.ts'
import { signInAsLocalUser } from '../server/proxy/sessions.ts'
import { createSearchList } from '../server/proxy/shared-search/shared-search-list.ts'
import { createSharedSearches } from '../server/proxy/shared-search/shared-search.ts'
import type {
  UpstreamClient,
  UpstreamClientOptions,
  UpstreamResponse,
} from '../server/proxy/upstream/upstream-client.ts'
import { createUpstreamLog } from '../server/proxy/upstream/upstream-log.ts'
import {
  createBuildDataUpstream,
  createGovernorUpstream,
} from '../server/proxy/upstream/upstream.ts'
import { createWalls } from '../server/proxy/walls/wall-routes.ts'
import { pruneBuilds } from '../server/store/build-writing.ts'
import { type Database, databaseOn, type OpenDialect } from '../server/store/database.ts'
import { type KeptState, readTables, restoreTables } from './kept-state.ts'
import { createReaderResponse } from './reader-response.ts'

export interface DemoOptions {
  readonly dialect: OpenDialect
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  readonly version: string
  /** The host that serves the files, as in `Host`. */
  readonly host: string
  /** What the worker before this one knew. */
  readonly kept: Pick<KeptState, 'begun' | 'tables'> | undefined
}

/** So many builds a second as `npm start` makes unless told. */
const past = { builds: 2000, rate: 0.15, seed: 1 }

/** A company that was busy for longer begins anew: its past is made again at each start, ms. */
const longestBusyMs = 6 * 3_600_000
/** As busy as now before somebody first looks, ms. */
const busyBeforeMs = 3_600_000

/** Nothing is secret in the browser of whoever looks; always the same, as sessions outlive the worker. */
const nothingSecret = 'sightline-demo'

/**
 * Sightline on its embedded services without a server: the proxy that `npm start` runs, before the same
 * services, in one process and on a database in memory. Left out is what needs others: sign-in, alerts,
 * the operations listener, and a database or live log that processes share.
 */
export async function startDemoServer(options: DemoOptions): Promise<{
  /** Answers a request for an address of the proxy. */
  readonly fetch: (request: Request) => Promise<Response>
  /** What the next worker has to know, as it is now. */
  readonly state: () => Promise<Pick<KeptState, 'begun' | 'tables'>>
}> {
  const { clock, random, logger, version, host, kept } = options
  const database = await databaseOn(options.dialect)
  if (kept !== undefined) await restoreTables(database, kept.tables)
  const isBusy = kept !== undefined && clock.now() - kept.begun < longestBusyMs
  const begun = isBusy ? kept.begun : clock.now() - busyBeforeMs
  const secret = { reveal: () => nothingSecret }
  const { embedded, offered, publishPackages } = await openCompany({
    settings: { ...past, stores: ['af:evidence', 's3:archive'], models: true },
    withoutBuilds: true,
    accessKey: secret,
    credentials: [],
    database,
    clock,
    random,
    logger,
    dashboard: () => undefined,
  })
  const url = new URL('http://embedded.localhost')
  const pace = { seed: past.seed, ratePerSecond: past.rate, begun }
  const { enough } = await startDemoBuilds({ embedded, database, clock, logger, pace })
  // Packages are published from builds, so that whoever evaluates one waits for those.
  const published =
    kept?.tables.attestations === undefined
      ? enough.then(() => publishPackages(url.origin))
      : Promise.resolve()
  published.catch((error: unknown) => {
    logger.error({ err: error }, 'publishing packages failed')
  })

  const log = createUpstreamLog(clock)
  const common = {
    kind: 'embedded' as const,
    url,
    credential: { kind: 'bearer' as const, token: secret },
    connect: connectToApp(embedded.app),
    log,
    clock,
    version,
    notice: (sentence: string): void => {
      logger.warn(sentence)
    },
  }
  const exportVersion = 'v2'
  const buildData = createBuildDataUpstream({ ...common, exportBearer: 'raw', exportVersion })
  const governor = createGovernorUpstream(common)
  const { client } = buildData
  const liveLog = createMemoryLog(clock)
  const changes = createChanges({ log: liveLog, clock, random })
  const history = createHistory({
    database,
    changes,
    clock,
    logger,
    settings: { keepDays: 365, keepPerScan: 100, longestWaiverDays: 90 },
    redact: (text) => text,
  })
  const shared = SharedConfig.parse(offered)
  const insights = createBuildInsights({ client, clock, random, logger, database, shared })
  let learn: Proxy['learn'] = () => undefined
  const hub = createLiveHub({
    client,
    liveLog,
    clock,
    random,
    logger,
    log,
    failures: insights.failures,
    onLearned: (facts) => {
      learn(facts)
    },
  })
  const proxy = createProxy({
    upstreams: { buildData, governor },
    live: hub,
    insights,
    changes,
    status: { log, exportVersion, warnings: [], database },
    clock,
    random,
    logger,
    version,
    signIn: signInAsLocalUser,
    sessionSecret: nothingSecret,
    allowedHosts: [host],
    shared,
    searches: createSharedSearches({
      list: createSearchList(client, clock, () => undefined),
      log: liveLog,
      hub,
      clock,
      random,
      logger,
    }),
    walls: createWalls({ file: [], demo: offered.walls, database, logger }),
    screens: createScreens({ database, clock, logger, log: liveLog, changes }),
    history,
    database,
  })
  learn = proxy.learn
  return {
    state: async () => ({ begun, tables: await readTables(database) }),
    fetch: async (request) => {
      if (/^\/upstream\/(?:governor|board)(?:\/|$)/.test(new URL(request.url).pathname))
        await published
      const { outgoing, response } = createReaderResponse()
      const answered = await proxy.app.fetch(request, { outgoing })
      return outgoing.headersSent ? response : answered
    },
  }
}

interface DemoBuildsOptions {
  readonly embedded: Pick<Embedded, 'addAll'>
  readonly database: Database
  readonly clock: Clock
  readonly logger: Pick<Logger, 'error'>
  readonly pace: CompanyPace
}

/** Stored before anything is answered: what the first screen shows. */
const firstMs = 8 * minuteMs
/** As many past builds as `npm start` makes unless told. */
const pastBuilds = 2900
/** Pages have this long to load before the past is made, and then half of the time, ms. */
const headStartMs = 2_000
/** So many builds have every project among them. */
const enoughBuilds = 600
const atOnce = 10
const turnMs = 1_000
/** What a machine that slept for longer has missed is not made up for, ms. */
const longestGapMs = hourMs
const keepBuilds = 10_000
const pruneEvery = 500

/**
 * Fills an empty database with the builds of the made-up company: resolves with the newest ones
 * stored, goes on with the past behind them, newest first, and lets builds arrive. `enough` resolves
 * once every project has builds.
 */
export async function startDemoBuilds({
  embedded,
  database,
  clock,
  logger,
  pace,
}: DemoBuildsOptions): Promise<{ readonly enough: Promise<void> }> {
  const from = clock.now() - firstMs
  const newest = [...buildsBetween(pace, from, clock.now())]
  let upto = clock.now()
  // Positions before them stay free for the past.
  let first = 2 * pastBuilds
  await embedded.addAll(newest, first)
  let sincePruned = 0
  let isEnough = (): void => undefined
  const enough = new Promise<void>((resolve) => {
    isEnough = resolve
  })
  clock.after(turnMs, () => void turn())
  clock.after(headStartMs, () => void past().finally(isEnough))
  return { enough }

  async function turn(): Promise<void> {
    const now = clock.now()
    const due = [...buildsBetween(pace, Math.max(upto, now - longestGapMs), now)]
    upto = now
    try {
      await embedded.addAll(due)
      sincePruned += due.length
      if (sincePruned >= pruneEvery) {
        sincePruned = 0
        await pruneBuilds(database, keepBuilds)
      }
    } catch (error) {
      logger.error({ err: error }, 'storing new builds failed')
    }
    clock.after(turnMs, () => void turn())
  }

  async function past(): Promise<void> {
    let left = pastBuilds - newest.length
    try {
      for (const builds of stretchesBefore(pace, from)) {
        for (let end = builds.length; end > 0; end -= atOnce) {
          const begun = clock.now()
          const some = builds.slice(Math.max(0, end - atOnce), end)
          first -= some.length
          await embedded.addAll(some, first)
          left -= some.length
          if (left <= 0) return
          if (pastBuilds - left >= enoughBuilds) isEnough()
          await wait(clock, clock.now() - begun)
        }
      }
    } catch (error) {
      logger.error({ err: error }, 'storing the past failed')
    }
  }
}

/** Ever earlier builds, some minutes or an hour at a time. */
function* stretchesBefore(
  pace: CompanyPace,
  end: number,
): Generator<readonly RecordedBuild[], void, undefined> {
  for (let to = end; to > 0;) {
    const from = to > pace.begun ? Math.max(pace.begun, to - minuteMs) : to - hourMs
    yield [...buildsBetween(pace, from, to)]
    to = from
  }
}

/** What answers requests: a Hono app fits. */
interface RequestHandler {
  readonly fetch: (request: Request) => Response | Promise<Response>
}

/**
 * Connects the proxy to an app in the same process: no socket, so nothing is refused, times out or
 * is compressed on the way. An aborted request throws the signal's reason, and its body ends.
 */
function connectToApp(
  app: RequestHandler,
): (options: Pick<UpstreamClientOptions, 'baseUrl' | 'userAgent'>) => UpstreamClient {
  return ({ baseUrl, userAgent }) => ({
    request: async ({ path, method = 'GET', headers, body, signal }) => {
      signal?.throwIfAborted()
      const url = `${baseUrl.origin}${path}`
      const gone = new AbortController()
      const request = new Request(url, {
        method,
        headers: { 'user-agent': userAgent, ...headers },
        body: body === undefined ? null : new Uint8Array(Buffer.from(body)),
        signal: gone.signal,
      })
      let leave: (reason: unknown) => void = () => undefined
      const left = new Promise<never>((_resolve, reject) => {
        leave = reject
      })
      left.catch(() => undefined)
      signal?.addEventListener('abort', () => {
        gone.abort(signal.reason)
        leave(signal.reason)
      })
      const response = await Promise.race([app.fetch(request), left])
      return responseOf(response, url, left, gone)
    },
    close: () => Promise.resolve(),
  })
}

function responseOf(
  response: Response,
  url: string,
  left: Promise<never>,
  gone: AbortController,
): UpstreamResponse {
  const reader = response.body?.getReader()
  const cancel = (): void => {
    gone.abort()
    // A body that failed already has nothing to give up.
    reader?.cancel().catch(() => undefined)
  }
  return {
    url,
    status: response.status,
    wasGzip: false,
    // A stream in memory that ends is whole.
    isOpenEnded: false,
    header: (name) => response.headers.get(name),
    cancel,
    body: (async function* () {
      try {
        while (reader !== undefined) {
          const piece = await Promise.race([reader.read(), left])
          if (piece.done) return
          yield piece.value
        }
      } finally {
        cancel()
      }
    })(),
  }
}
