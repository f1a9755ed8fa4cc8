import { type Handler, Hono, type MiddlewareHandler } from 'hono'
import { compress } from 'hono/compress'
import type { Logger } from 'pino'
import { accessTokensPath, createTokenPath } from '../../protocol/access-token.ts'
import { boardRunPath } from '../../protocol/board-run.ts'
import type { Clock } from '../../protocol/clock.ts'
import type { Facts } from '../../protocol/facts.ts'
import { changesPath } from '../../protocol/live-change.ts'
import { livePath } from '../../protocol/live-feed.ts'
import { configPath, ProxyConfig, type SharedConfig } from '../../protocol/proxy-config.ts'
import { activationPath, screensPath } from '../../protocol/screen.ts'
import { sharedSearchPath } from '../../protocol/shared-search.ts'
import { statusReportPath } from '../../protocol/status-report.ts'
import type { Database } from '../store/database.ts'
import { buildDataPrefix, enforceAccess, governorPrefix } from './access.ts'
import { boardRoute } from './board/board-route.ts'
import type { evidenceBundle } from './bundle/bundle-route.ts'
import type { SigningKey } from './bundle/signing-key.ts'
import type { Changes } from './changes/changes.ts'
import { noAudit, recordRefusal, recordSignInRefusal } from './history/audit.ts'
import { historyRoutes } from './history/history-routes.ts'
import type { History } from './history/history.ts'
import { type BuildInsights, insightRoutes } from './insight/insight-routes.ts'
import { type LiveEndpoint, liveRoute } from './live/live-route.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { pages, type StaticFile } from './pages.ts'
import {
  databaseAway,
  errorCatcher,
  methodNotAllowed,
  noGovernor,
  nothingHere,
} from './problem-response.ts'
import { checkAddress, requireSameOrigin, sessionOf } from './protect.ts'
import type { Screens } from './screens/screen-routes.ts'
import { secureData } from './security-headers.ts'
import { createStatelessSessions, type ProxyEnv, type Sessions, type SignIn } from './sessions.ts'
import { type SharedSearches, sharedSearchRoute } from './shared-search/shared-search.ts'
import type { AccessTokens } from './sign-in/access-tokens.ts'
import { sessionRoutes } from './sign-in/session-routes.ts'
import { createDatabaseWatch } from './status/database-status.ts'
import { createOps, opsHandlers } from './status/ops.ts'
import { createStatus, type Status, type StatusSources } from './status/status.ts'
import { createTrustedProxies, type TrustedProxies } from './trusted-proxies.ts'
import { forward } from './upstream/forward.ts'
import { buildDataAllowList, governorAllowList } from './upstream/routes.ts'
import { tokenRoute } from './upstream/token-route.ts'
import type { Upstream } from './upstream/upstream.ts'
import { configuredWalls, type Walls } from './walls/wall-routes.ts'

/** What the proxy stands on. */
export interface ProxyOptions {
  readonly upstreams: { readonly buildData: Upstream; readonly governor?: Upstream }
  readonly live: LiveEndpoint
  /** What is read of builds' events; without it nothing answers below `/insight`. */
  readonly insights?: BuildInsights
  /** What browsers follow at `/live/changes`; without it nothing answers there. */
  readonly changes?: Pick<Changes, 'handle'>
  readonly clock: Clock
  /** 0 up to 1. */
  readonly random: () => number
  readonly logger: Logger
  /** This program's version. */
  readonly version: string
  readonly signIn: SignIn
  /** Sessions that are stored; without them a token is all there is of one. */
  readonly sessions?: Sessions
  /** What the way to sign in answers below `/session`, without a session. */
  readonly signInRoutes?: Hono<ProxyEnv>
  /** The access tokens of people and scripts, for administrators to look at. */
  readonly accessTokens?: Pick<AccessTokens, 'list'>
  /** Signs the session tokens: whoever knows it can make some. */
  readonly sessionSecret: string
  /** Host names beside the loopback ones that browsers may use. */
  readonly allowedHosts: readonly string[]
  /** What everybody is offered. */
  readonly shared?: Partial<SharedConfig>
  /** All walls; those of `shared` unless given. */
  readonly walls?: Walls
  /** Searches that all screens share; without them nothing answers at `/live/search`. */
  readonly searches?: SharedSearches
  /** Screens with a credential of their own. */
  readonly screens?: Screens
  /** What the status is made from, beside the servers and the live feed. */
  readonly status: StatusSources
  /** Whose state readiness follows; without it there is none. */
  readonly database?: Pick<Database, 'dialect' | 'probe' | 'inspect'>
  /** Whether the process is shutting down, so that balancers send requests elsewhere. */
  readonly isEnding?: () => boolean
  /** Aborts shortly before connections are broken by that: what is still passed on ends as what it is, cut off. */
  readonly stopping?: AbortSignal
  /** Where evaluations, waivers and actions are kept; without it nothing is recorded. */
  readonly history?: History
  /** Exports evidence bundles; without it there are none. */
  readonly evidenceBundle?: typeof evidenceBundle
  /** Signs the summary of evidence bundles; without it they are unsigned, and say so. */
  readonly signingKey?: SigningKey | undefined
  /** Where people open Sightline, an origin; where a request went, unless given. */
  readonly publicOrigin?: string | undefined
  /** Whose word is taken for the address of a client; nobody's unless given. */
  readonly trustedProxies?: TrustedProxies
  /** Whether admins may create access tokens for the build server; off unless given. */
  readonly createTokens?: boolean
  /** The files of the built client by address; without them there are no pages. */
  readonly files?: ReadonlyMap<string, StaticFile>
}

/** The proxy: a handler for requests. */
export interface Proxy {
  readonly app: Hono<ProxyEnv>
  /** Health checks and metrics without a session, for a listener that only operators reach. */
  readonly ops: Hono<ProxyEnv>
  readonly status: Status
  /** What the live feed has learned of a build, to be counted. */
  readonly learn: (facts: Facts) => void
  /** Closes the connections to the upstreams, so that requests that still run fail. */
  readonly close: () => Promise<void>
}

/**
 * Puts the proxy together (docs/design.md#proxy-routes). Free of the session are `/healthz`,
 * `/session` and the pages; everything else is refused without one, what does not exist included.
 */
export function createProxy(options: ProxyOptions): Proxy {
  const { upstreams, live, clock, logger, signIn, allowedHosts, searches, screens, history } =
    options
  const { trustedProxies = createTrustedProxies([]) } = options
  const audit = history?.audit ?? noAudit
  const walls = options.walls ?? configuredWalls(options.shared?.walls ?? [])
  const { buildData, governor } = upstreams
  const counted = {
    since: clock.now(),
    clockSkewMs: () => options.status.log.clockSkewMs(buildDataAllowList.name),
    defaultBranches: options.shared?.defaultBranches ?? {},
  }
  const metrics = createMetrics(() => live.metrics(), counted, history?.writer)
  const sessions =
    options.sessions ?? createStatelessSessions({ signIn, secret: options.sessionSecret, clock })
  options.status.log.onExchange(metrics.exchanged)
  const database =
    options.database === undefined
      ? undefined
      : createDatabaseWatch({
          database: options.database,
          clock,
          ...(history === undefined ? {} : { recording: history.writer }),
        })
  const redact =
    history?.options.redact ??
    ((text: string): string => governor?.redact(buildData.redact(text)) ?? buildData.redact(text))
  const status = createStatus({
    ...options.status,
    buildData,
    governor,
    live,
    databaseWatch: database,
    version: options.version,
    redact,
    clock,
  })
  const ops = opsHandlers({
    status,
    database,
    metrics,
    recording: history?.recording,
    isEnding: options.isEnding ?? (() => false),
  })
  const config = proxyConfig({
    version: options.version,
    signIn: signIn.mode,
    buildData,
    governor,
    liveHistory: live.history,
    createTokens: options.createTokens === true,
    bundles: options.evidenceBundle !== undefined,
    shared: options.shared ?? {},
  })

  const app = new Hono<ProxyEnv>()
  app.onError(errorCatcher({ logger, redact }))
  app.use(accessLog({ logger, clock, metrics }))
  app.use(async (c, next) => {
    c.set('from', trustedProxies.clientAddress(c))
    c.set('redact', redact)
    await next()
  })
  app.use(secureData)
  app.use(checkAddress(allowedHosts))
  app.use(
    enforceAccess({
      verify: async (c) => {
        try {
          return await sessionOf(c, { sessions, signIn, screens: screens?.sessions })
        } catch (error) {
          recordSignInRefusal(audit, c, error)
          throw error
        }
      },
      onRefused: (c, error) => {
        recordRefusal(audit, c, error)
      },
      requireSameOrigin: (c) => {
        requireSameOrigin(c, allowedHosts)
      },
      logger,
    }),
  )

  // Not what is passed on or arrives bit by bit: this would hold it back.
  const zipped = compress({
    encoding: 'gzip',
    contentTypeFilter: /^(?:application\/json|text\/html)\b/,
  })
  for (const path of [configPath, sharedSearchPath, '/history/*', '/insight/*'])
    app.use(path, zipped)

  app.get('/healthz', ops.alive)
  app.route('/', sessionRoutes({ sessions, metrics, audit }))
  if (options.signInRoutes !== undefined) app.route('/', options.signInRoutes)
  const { accessTokens } = options
  if (accessTokens !== undefined) {
    app.get(accessTokensPath, async (c) => {
      const tokens = await accessTokens.list().catch((error: unknown) => {
        throw databaseAway(error)
      })
      return c.json({ tokens })
    })
  }
  if (screens !== undefined) app.route(activationPath, screens.activation)

  app.get(configPath, async (c) => c.json({ ...config, walls: (await walls.list()).walls }))
  app.get(statusReportPath, async (c) => c.json(await status.report()))
  app.all(statusReportPath, () => methodNotAllowed('GET'))
  app.get('/readyz', ops.ready)
  app.get('/metrics', ops.metrics)
  app.get(livePath, liveRoute(live))
  if (options.changes !== undefined) {
    app.get(changesPath, liveRoute(options.changes))
    app.all(changesPath, () => methodNotAllowed('GET'))
  }
  if (searches !== undefined) {
    app.get(sharedSearchPath, sharedSearchRoute(searches))
    app.all(sharedSearchPath, () => methodNotAllowed('GET'))
  }
  if (screens !== undefined) app.route(screensPath, screens.keeping)
  for (const path of ['/healthz', configPath, '/readyz', '/metrics', livePath]) {
    app.all(path, () => methodNotAllowed('GET'))
  }
  if (history !== undefined) {
    const { boards } = config
    const bundle = options.evidenceBundle?.(history, {
      governor,
      trustedKeys: config.trustedKeys,
      boards,
      signingKey: options.signingKey,
      version: options.version,
      origin: options.publicOrigin,
    })
    app.route('/', historyRoutes(history, { boards, bundle, walls }))
  }
  if (options.insights !== undefined) app.route('/', insightRoutes(options.insights, clock))
  const shared = { clock, logger, metrics, stopping: options.stopping }
  const isOn = options.createTokens === true && buildData.kind !== 'none'
  app.post(createTokenPath, tokenRoute({ isOn, upstream: buildData, clock, audit }))
  app.all(
    `${buildDataPrefix}/*`,
    forward({
      ...shared,
      upstream: buildData,
      allowList: buildDataAllowList,
      prefix: buildDataPrefix,
    }),
  )
  const askGovernor: Handler<ProxyEnv> =
    governor === undefined
      ? noGovernor
      : forward({
          ...shared,
          upstream: governor,
          allowList: governorAllowList,
          prefix: governorPrefix,
          ...(history === undefined ? {} : { watch: history.watch }),
        })
  app.all(`${governorPrefix}/*`, askGovernor)
  // Of the connection only where it comes from: the answer of a cell is not written to it.
  const askItself = async (request: Request, { incoming }: ProxyEnv['Bindings']) =>
    app.fetch(request, incoming === undefined ? {} : { incoming })
  const require = config.boards.flatMap((board) => board.require)
  app.post(boardRunPath, boardRoute({ ask: askItself, clock, random: options.random, require }))
  app.all(boardRunPath, () => methodNotAllowed('POST'))
  for (const path of ['/session/*', '/live/*', '/upstream/*', '/history/*', '/insight/*'])
    app.all(path, nothingHere)
  app.get('*', zipped, pages(options.files ?? new Map()))
  app.notFound(nothingHere)
  return {
    app,
    ops: createOps(ops, { logger, redact, allowedHosts }),
    status,
    learn: metrics.learn,
    close: async () => {
      await Promise.all([buildData.client.close(), governor?.client.close()])
    },
  }
}

/** What `GET /config` tells the browser; nothing in it is secret. */
function proxyConfig(options: {
  readonly version: string
  readonly signIn: ProxyConfig['signIn']
  readonly buildData: Upstream
  readonly governor: Upstream | undefined
  readonly liveHistory: number
  readonly createTokens: boolean
  readonly bundles: boolean
  readonly shared: Partial<SharedConfig>
}): ProxyConfig {
  return ProxyConfig.parse({
    ...options.shared,
    version: options.version,
    signIn: options.signIn,
    upstreams: {
      buildData: whereabouts(options.buildData),
      governor: whereabouts(options.governor),
    },
    liveHistory: options.liveHistory,
    createTokens: options.createTokens,
    bundles: options.bundles,
  })
}

function whereabouts(upstream: Upstream | undefined): { kind: string; origin: string | null } {
  return { kind: upstream?.kind ?? 'none', origin: upstream?.origin ?? null }
}

const longestPath = 400

/**
 * One line and one count per request, when its answer begins: method, route, path, status and ms.
 * The line is JSON, which escapes whatever a path may hold; headers and query values are left out.
 */
function accessLog(options: {
  readonly logger: Logger
  readonly clock: Clock
  readonly metrics: Metrics
}): MiddlewareHandler<ProxyEnv> {
  const { logger, clock, metrics } = options
  return async (c, next) => {
    const begun = clock.now()
    c.set('route', 'other')
    await next()
    const ms = clock.now() - begun
    const { method } = c.req.raw
    const route = c.get('route')
    // A handler that has written to Node's own response leaves only a stand-in here.
    const status = c.env.outgoing?.headersSent === true ? c.env.outgoing.statusCode : c.res.status
    metrics.requestAnswered(route, knownMethod(method), status, ms / 1000)
    logger.info({ method, route, path: c.req.path.slice(0, longestPath), status, ms }, 'request')
  }
}

/** Methods are free text: only the usual ones become a label. */
function knownMethod(method: string): string {
  return ['GET', 'HEAD', 'POST'].includes(method) ? method : 'other'
}
