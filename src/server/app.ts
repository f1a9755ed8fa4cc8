import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Clock } from '../protocol/clock.ts'
import type { Config } from './config.ts'
import { embeddedAccessKey } from './embedded-access-key.ts'
import { type EmbeddedServices, startEmbeddedServices } from './embedded-services.ts'
import { listen } from './listen.ts'
import { createLiveHub } from './proxy/live/live-hub.ts'
import { createProxy } from './proxy/proxy.ts'
import { signInAsLocalUser } from './proxy/sign-in.ts'
import { createBuildDataUpstream, createGovernorUpstream } from './proxy/upstream.ts'
import { type Database, openDatabase } from './store/database.ts'

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
  /** Drains the readers, ends everything, and closes the database. */
  readonly close: () => Promise<void>
}

/**
 * Starts the whole: the database, the embedded services where no server is configured, the proxy
 * before them, and the dashboard. What was started is ended again when a later part fails. Throws a
 * ProblemError with a plain sentence.
 */
export async function startApp(options: AppOptions): Promise<App> {
  const parts: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const end of parts.splice(0).reverse()) await end()
  }
  try {
    const { config, clock, random, logger, version } = options
    const database = await openDatabase(config.databaseUrl.reveal())
    parts.push(() => database.close())
    const buildData = await buildDataSource(options, database, parts)
    const notice = (sentence: string): void => {
      logger.warn(sentence)
    }
    const upstream = createBuildDataUpstream({
      ...buildData,
      exportBearer: config.exportBearer,
      clock,
      version,
      notice,
    })
    const hub = createLiveHub({
      client: upstream.client,
      clock,
      random,
      logger,
      exportVersion: config.exportVersion,
    })
    const proxy = createProxy({
      upstreams: {
        buildData: upstream,
        ...(config.governor === undefined
          ? {}
          : {
              governor: createGovernorUpstream({
                ...config.governor,
                kind: 'server',
                clock,
                version,
                notice,
              }),
            }),
      },
      live: hub,
      clock,
      logger,
      version,
      signIn: signInAsLocalUser,
      sessionSecret: config.sessionSecret?.reveal() ?? randomBytes(32).toString('base64'),
      allowedHosts: config.allowedHosts,
      database: async () => {
        await sql`select 1`.execute(database.kysely)
      },
      staticRoot: options.staticRoot,
    })
    parts.push(() => proxy.close())
    parts.push(() => hub.close())
    const server = await listen({ app: proxy.app, host: config.host, port: config.port, clock })
    parts.push(async () => {
      // Together: the server waits for its open streams, which the hub ends one after the other.
      await Promise.all([server.close(), hub.close()])
    })
    return { url: server.url, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function buildDataSource(
  { config, clock, random, logger }: AppOptions,
  database: Database,
  parts: (() => Promise<void>)[],
): Promise<Pick<Parameters<typeof createBuildDataUpstream>[0], 'kind' | 'url' | 'credential'>> {
  if (config.buildData !== undefined) return { ...config.buildData, kind: 'server' }
  const token = config.embedded.accessKey ?? embeddedAccessKey(config.databaseUrl.reveal())
  const services: EmbeddedServices = await startEmbeddedServices({
    settings: config.embedded,
    host: '127.0.0.1',
    port: config.embedded.port ?? 0,
    accessKey: token,
    database,
    clock,
    random,
    logger,
    imports: [],
  })
  parts.push(() => services.close())
  return { kind: 'embedded', url: services.url, credential: { kind: 'bearer', token } }
}
