import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { type Clock, wait } from '../protocol/clock.ts'
import type { SharedConfig } from '../protocol/proxy-config.ts'
import { openSignIn } from './app-sign-in.ts'
import type { ServerUpstream } from './config-sign-in.ts'
import type { Config } from './config.ts'
import { embeddedAccessKey } from './embedded-access-key.ts'
import { type EmbeddedServices, startEmbeddedServices } from './embedded-services.ts'
import { listen, requireUsable } from './listen.ts'
import { openLiveLog } from './live-log/open-live-log.ts'
import type { AlertRoute } from './proxy/alerts/alert-route.ts'
import { type AlertRules, unnotedSince } from './proxy/alerts/alert-tile.ts'
import { type AlertWatch, startAlertWatch } from './proxy/alerts/alert-watch.ts'
import { createMailer } from './proxy/alerts/mail.ts'
import { createWebhook, type Webhook } from './proxy/alerts/webhook.ts'
import { evidenceBundle } from './proxy/bundle/bundle-route.ts'
import { ownKeyName, readSigningKey, type SigningKey } from './proxy/bundle/signing-key.ts'
import { createChanges } from './proxy/changes/changes.ts'
import { systemOrigin } from './proxy/history/audit.ts'
import { createHistory } from './proxy/history/history.ts'
import { createBuildInsights } from './proxy/insight/insight-routes.ts'
import { createLiveHub } from './proxy/live/live-hub.ts'
import { createProxy, type Proxy } from './proxy/proxy.ts'
import { createScreens } from './proxy/screens/screen-routes.ts'
import { createSearchList } from './proxy/shared-search/shared-search-list.ts'
import { createSharedSearches } from './proxy/shared-search/shared-search.ts'
import { readStaticFiles } from './proxy/static-files.ts'
import { serverLine } from './proxy/status/status-lines.ts'
import { createTrustedProxies } from './proxy/trusted-proxies.ts'
import { watchCredentials } from './proxy/upstream/credential-watch.ts'
import { createRedactor } from './proxy/upstream/credentials.ts'
import { buildDataAllowList } from './proxy/upstream/routes.ts'
import { createUpstreamClient } from './proxy/upstream/undici-upstream-client.ts'
import { createUpstreamLog } from './proxy/upstream/upstream-log.ts'
import {
  createAbsentBuildData,
  createBuildDataUpstream,
  createGovernorUpstream,
  pagesAt,
} from './proxy/upstream/upstream.ts'
import { createWalls } from './proxy/walls/wall-routes.ts'
import type { Secret } from './read-settings.ts'
import { configWarnings, createFirstStatus } from './server-check.ts'
import { type Database, databaseProblem } from './store/database.ts'
import { openDatabase } from './store/open-database.ts'
import { joinProcesses, takeLock } from './store/process-lock.ts'

/** What the product needs from its surroundings. */
export interface AppOptions {
  readonly config: Config
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  readonly version: string
  /** The folder of the built client. */
  readonly staticRoot: string
}

/** The running product. */
export interface App {
  /** Where people open it. */
  readonly url: string
  /** Where health checks and metrics are, if they have a listener of their own. */
  readonly opsUrl: string | undefined
  /** What is odd about how it was started, a sentence each. */
  readonly warnings: readonly string[]
  /** A line about each configured server as soon as its state is known; they never reject. */
  readonly servers: readonly Promise<string>[]
  /**
   * Says on `/readyz` that it ends, goes on accepting requests for `acceptMs`, then ends the readers
   * one after the other, lets running requests end, and closes the database
   * (docs/design.md#restart).
   */
  readonly close: (acceptMs?: number) => Promise<void>
}

/**
 * Starts the whole: the database, the embedded services where no server is configured, the proxy
 * before them, and the dashboard. What was started is ended again when a later part fails. Throws a
 * ProblemError with a plain sentence.
 */
export async function startApp(options: AppOptions): Promise<App> {
  const parts: (() => Promise<void>)[] = []
  let isEnding = false
  const stopping = new AbortController()
  const close = async (acceptMs = 0): Promise<void> => {
    isEnding = true
    if (acceptMs > 0) await wait(options.clock, acceptMs)
    for (const end of parts.splice(0).reverse()) await end()
  }
  try {
    const { config, clock, random, logger, version } = options
    const database = await openDatabase(config.databaseUrl.reveal())
    parts.push(() => database.close())
    const onlyProxy = database.file === undefined ? undefined : await takeLock(database, 'proxy')
    if (onlyProxy !== undefined) parts.push(onlyProxy.release)
    const isSharedFile = database.file !== undefined && onlyProxy === undefined
    const warnings = [...configWarnings(config, clock.now()), ...(isSharedFile ? [sharedFile] : [])]
    // Known when it listens, which is after the embedded services.
    const dashboard: { url?: string } = {}
    const embedded = await embeddedUpstream(options, database, parts, () => dashboard.url)
    const notice = (sentence: string): void => {
      // What the end cuts off is no news to whoever reads why it ended.
      if (!isEnding) logger.warn(sentence)
    }
    const log = createUpstreamLog(clock)
    const common = { connect: createUpstreamClient, log, clock, version, notice }
    const { exportBearer, exportVersion } = config
    const buildData = sourceOf(config.buildData, embedded)
    const upstream =
      buildData === undefined
        ? createAbsentBuildData()
        : createBuildDataUpstream({ ...buildData, ...common, exportBearer, exportVersion })
    const policies = sourceOf(config.governor, embedded)
    const governor =
      policies === undefined ? undefined : createGovernorUpstream({ ...policies, ...common })
    const credentials = watchCredentials({
      upstreams: [upstream, ...(governor === undefined ? [] : [governor])],
      clock,
      logger,
    })
    parts.push(() => {
      credentials.close()
      return Promise.resolve()
    })
    const signInSecrets = createRedactor()
    const { url, fallback } = config.liveLog
    const liveLog = openLiveLog({ url: url.reveal(), fallback, clock, random, logger })
    parts.push(() => liveLog.close())
    let alerts: AlertWatch | undefined
    const changes = createChanges({
      log: liveLog,
      clock,
      random,
      onChange: (topic) => {
        if (topic === 'walls') alerts?.readWalls()
      },
    })
    const history = createHistory({
      database,
      changes,
      clock,
      logger,
      settings: {
        ...config.history,
        require: [...config.shared.boards, ...(embedded?.offered.boards ?? [])].flatMap(
          (board) => board.require,
        ),
        webhookBoards: config.boardWebhooks.map(({ board }) => board),
        alertRoutes: [
          ...(config.alerts?.webhookUrl === undefined ? [] : ['']),
          ...(config.alerts?.rules.routes.map(({ name }) => name) ?? []),
        ],
        wakeAlerts: () => {
          alerts?.wake()
        },
      },
      redact: (text) => {
        const rest = signInSecrets.redact(upstream.redact(text))
        return governor?.redact(rest) ?? rest
      },
    })
    parts.push(history.close)
    history.audit.record({
      ...systemOrigin,
      action: 'settings-loaded',
      subject: `Sightline ${version}`,
      detail: `Started with the settings sha256:${settingsHash(config)}.`,
    })
    const walls = createWalls({
      file: config.shared.walls,
      demo: embedded?.offered.walls ?? [],
      database,
      logger,
    })
    const insights = createBuildInsights({
      client: upstream.client,
      clock,
      random,
      logger,
      database,
      shared: config.shared,
    })
    const firstStatus = createFirstStatus()
    /** Who wants to know what the live feed learns of builds. */
    const learners: Proxy['learn'][] = []
    const webhooks: (Webhook & { readonly name: string })[] = []
    // What happened while nobody was here is still news.
    const since = config.alerts && (await unnotedSince(database, clock.now()))
    const hub = createLiveHub({
      since,
      client: upstream.client,
      liveLog,
      clock,
      random,
      logger,
      log,
      onStatus: firstStatus.onStatus,
      clockSkewMs: () => log.clockSkewMs(buildDataAllowList.name),
      failures: insights.failures,
      onLearned: (facts) => {
        for (const learn of learners) learn(facts)
      },
    })
    const searches = createSharedSearches({
      list: createSearchList(upstream.client, clock, (loss) => {
        log.lost({ ...loss, server: buildDataAllowList.name })
      }),
      failures: insights.failures,
      log: liveLog,
      hub,
      clock,
      random,
      logger,
    })
    parts.push(() => {
      searches.close()
      return Promise.resolve()
    })
    if (config.alerts !== undefined || config.boardWebhooks.length > 0) {
      const hookAt = (url: Secret, name: string): Webhook => {
        const hook = createWebhook({ url, clock, version })
        webhooks.push({ ...hook, name })
        return hook
      }
      const { webhookUrl } = config.alerts ?? {}
      const routes = alertRoutes(config, { clock, version })
      webhooks.push(
        ...routes.map(({ route, webhook }) => ({ ...webhook, name: `route ${route.name}` })),
      )
      parts.push(async () => {
        await Promise.all(webhooks.map((webhook) => webhook.close()))
      })
      const watch = startAlertWatch({
        since,
        rules: config.alerts?.rules ?? noAlerts,
        remindDays: config.history.remindDays ?? [],
        walls: async () => (await walls.list()).walls,
        defaultBranches: config.shared.defaultBranches,
        database,
        webhook: webhookUrl && hookAt(webhookUrl, 'SIGHTLINE_WEBHOOK_URL'),
        routes,
        boards: config.boardWebhooks.flatMap(({ board: name, url }) => {
          const board = config.shared.boards.find((one) => one.name === name)
          return board === undefined ? [] : [{ board, webhook: hookAt(url, `board ${name}`) }]
        }),
        boardRules: { dashboard: config.dashboard, redact: history.options.redact },
        audit: history.audit,
        searches,
        facts: insights.facts,
        failures: insights.failures,
        isLive: hub.hears,
        clockSkewMs: () => log.clockSkewMs(buildDataAllowList.name),
        origin: config.buildData === undefined ? null : pagesAt(config.buildData.url),
        clock,
        random,
        logger,
      })
      alerts = watch
      learners.push(watch.learn)
      parts.push(() => watch.close())
    }
    const people = await openSignIn({
      config,
      database,
      clock,
      random,
      logger,
      log: liveLog,
      audit: history.audit,
      redact: history.options.redact,
      secrets: signInSecrets,
    })
    parts.push(() => {
      people.close()
      return Promise.resolve()
    })
    const signingKey = config.signingKey && readSigningKey(config.signingKey.reveal())
    const proxy = createProxy({
      upstreams: { buildData: upstream, ...(governor === undefined ? {} : { governor }) },
      createTokens: config.createTokens,
      live: hub,
      insights,
      changes,
      status: {
        log,
        exportVersion,
        warnings,
        database,
        webhooks,
        ...(people.countSessions === undefined ? {} : { sessions: people.countSessions }),
      },
      isEnding: () => isEnding,
      stopping: stopping.signal,
      clock,
      random,
      logger,
      version,
      ...people,
      allowedHosts: config.allowedHosts,
      shared: withOffered(config, embedded, signingKey),
      evidenceBundle,
      signingKey,
      publicOrigin: config.signIn.publicUrl?.origin,
      searches,
      walls,
      screens: createScreens({ database, clock, logger, log: liveLog, changes }),
      history,
      trustedProxies: createTrustedProxies(config.trustedProxies),
      database,
      files: readStaticFiles(options.staticRoot),
    })
    learners.push(proxy.learn)
    parts.push(() => proxy.close())
    parts.push(() => hub.close())
    const { host, port, keepAliveMs, maxConnections } = config
    // Closed after the dashboard, so that probes are answered until the end.
    const ops =
      config.ops === undefined
        ? undefined
        : await listen({
            app: proxy.ops,
            ...config.ops,
            clock,
            setting: 'OPS',
            isDraining: () => isEnding,
          })
    if (ops !== undefined) parts.push(() => ops.close())
    const server = await listen({
      app: proxy.app,
      host,
      port,
      clock,
      keepAliveMs,
      drainMs: longestStreamMs + lastWordsMs,
      isDraining: () => isEnding,
      pageAddress: '/not-found',
      ...(maxConnections === undefined ? {} : { maxConnectionsPerAddress: maxConnections }),
    })
    dashboard.url = server.url
    parts.push(async () => {
      const stop = clock.after(longestStreamMs, () => {
        stopping.abort()
      })
      // Together: the server waits for its open streams, which are ended one after the other.
      await Promise.all([server.close(), hub.close(), changes.close()])
      stop()
    })
    const { known, refreshPolicyService } = proxy.status
    const servers = [
      ...(config.buildData === undefined
        ? []
        : [firstStatus.known.then(() => serverLine('Build server', known().buildServer))]),
      ...(config.governor === undefined
        ? []
        : [refreshPolicyService().then(() => serverLine('Policy service', known().policyService))]),
    ]
    return { url: server.url, opsUrl: ops?.url, warnings, servers, close }
  } catch (error) {
    await close()
    throw databaseProblem(error) ?? error
  }
}

/** The receivers of the routes. */
function alertRoutes(
  { alerts, smtpUrl, dashboard }: Pick<Config, 'alerts' | 'smtpUrl' | 'dashboard'>,
  { clock, version }: { readonly clock: Clock; readonly version: string },
): readonly { readonly route: AlertRoute; readonly webhook: Webhook }[] {
  if (alerts === undefined) return []
  const { rules, routeUrls } = alerts
  return rules.routes.flatMap((route) => {
    const { name, shape, email: to } = route
    const url = routeUrls[name]
    if (url !== undefined)
      return [{ route, webhook: createWebhook({ url, clock, version, shape }) }]
    if (smtpUrl === undefined) return []
    const from = rules.emailFrom ?? ''
    const domain = dashboard === undefined ? 'sightline.invalid' : new URL(dashboard).hostname
    return [{ route, webhook: createMailer({ url: smtpUrl, from, to, clock, domain }) }]
  })
}

/** Where only boards have a webhook. */
const noAlerts: AlertRules = {
  walls: [],
  everyProject: false,
  redFor: [],
  recovered: false,
  webhookHosts: [],
  routes: [],
}

const sharedFile =
  'Another Sightline process was using the database file when this one started. Each follows the build server for itself, and live changes in one do not reach the other. Stop one of them, or set SIGHTLINE_DATABASE_URL to PostgreSQL.'

/** The same for the same settings, secrets left out: they print as `[secret]`. */
function settingsHash(config: Config): string {
  return createHash('sha256').update(JSON.stringify(config)).digest('hex').slice(0, 16)
}

/** Where an upstream is, and what it is shown. */
type Source = Pick<Parameters<typeof createBuildDataUpstream>[0], 'kind' | 'url' | 'credential'>

/** The embedded services as an upstream, with what they offer to look at. */
interface EmbeddedUpstream extends Source {
  readonly offered: EmbeddedServices['offered']
}

/** What is configured, and what the embedded services and the own key add to it. */
function withOffered(
  { shared }: Config,
  embedded: EmbeddedUpstream | undefined,
  signingKey: SigningKey | undefined,
): SharedConfig {
  const own = signingKey === undefined ? {} : { [ownKeyName]: { pem: signingKey.publicPem } }
  if (embedded === undefined) return { ...shared, trustedKeys: { ...own, ...shared.trustedKeys } }
  const { trustedKeys, packages, boards, tips } = embedded.offered
  return {
    ...shared,
    tips,
    trustedKeys: { ...trustedKeys, ...own, ...shared.trustedKeys },
    packages: [...shared.packages, ...packages],
    boards: withOwnNames(shared.boards, boards),
  }
}

function sourceOf(
  server: ServerUpstream | undefined,
  embedded: Source | undefined,
): Source | undefined {
  return server === undefined ? embedded : { ...server, kind: 'server' }
}

/** What is configured goes before what is offered under the same name. */
function withOwnNames<T extends { readonly name: string }>(
  configured: readonly T[],
  offered: readonly T[],
): T[] {
  const names = new Set(configured.map(({ name }) => name))
  return [...configured, ...offered.filter(({ name }) => !names.has(name))]
}

/** The embedded services, where no server is configured: nothing made up stands beside a real one. */
async function embeddedUpstream(
  { config, clock, random, logger }: AppOptions,
  database: Database,
  parts: (() => Promise<void>)[],
  dashboard: () => string | undefined,
): Promise<EmbeddedUpstream | undefined> {
  if (config.buildData !== undefined || config.governor !== undefined) return undefined
  // The demo's data takes some seconds to be made.
  await requireUsable(config)
  if (config.ops !== undefined) await requireUsable({ ...config.ops, setting: 'OPS' })
  const token =
    config.embedded.accessKey ??
    (await embeddedAccessKey(database, config.databaseUrl.reveal())).key
  const first = await joinProcesses(database, clock)
  parts.push(first.close)
  const services: EmbeddedServices = await startEmbeddedServices({
    settings: config.embedded,
    host: '127.0.0.1',
    port: config.embedded.port ?? 0,
    accessKey: token,
    database,
    first,
    clock,
    random,
    logger,
    dashboard,
    imports: [],
  })
  parts.push(() => services.close())
  return {
    kind: 'embedded',
    url: services.url,
    credential: { kind: 'bearer', token },
    offered: services.offered,
  }
}

/** A response that still runs at the end may go on for so long, and then say that it breaks off, ms. */
const longestStreamMs = 9000
const lastWordsMs = 1000
