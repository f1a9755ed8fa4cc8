import { type Handler, Hono } from 'hono'
import type { Logger } from 'pino'
import type { EvaluationList } from '../../../protocol/evaluation.ts'
import type { StatusPart } from '../../../protocol/status-report.ts'
import type { Metrics } from '../metrics.ts'
import { errorCatcher, methodNotAllowed, nothingHere } from '../problem-response.ts'
import { checkBrowserHost } from '../protect.ts'
import { secureData } from '../security-headers.ts'
import type { ProxyEnv } from '../sessions.ts'
import type { DatabaseWatch } from './database-status.ts'
import type { Status } from './status.ts'

/** What probes and scrapers are answered from. */
export interface OpsOptions extends ReadinessOptions {
  readonly metrics: Metrics
}

/** The answers to probes and scrapers, with a session or on a listener of their own. */
export interface OpsHandlers {
  /** Touches neither the database nor a server: a process that answers lives. */
  readonly alive: Handler
  readonly ready: Handler
  readonly metrics: Handler
}

/** Makes them. */
export function opsHandlers(options: OpsOptions): OpsHandlers {
  const { metrics, status } = options
  return {
    alive: (c) => c.json({ status: 'ok' }),
    ready: async (c) => {
      const state = await readiness(options)
      return c.json(state, state.ready ? 200 : 503)
    },
    metrics: async (c) =>
      c.body(await metrics.text(await status.report()), 200, {
        'content-type': metrics.contentType,
      }),
  }
}

/** `/healthz`, `/readyz` and `/metrics` without a session (docs/design.md#operations-listener). */
export function createOps(
  { alive, ready, metrics }: OpsHandlers,
  options: {
    readonly logger: Logger
    readonly redact: (text: string) => string
    /** Host names beside the loopback ones and addresses that browsers may use. */
    readonly allowedHosts: readonly string[]
  },
): Hono<ProxyEnv> {
  const app = new Hono<ProxyEnv>()
  app.onError(errorCatcher(options))
  app.use(secureData)
  app.use('/metrics', checkBrowserHost(options.allowedHosts))
  app.get('/healthz', alive)
  app.get('/readyz', ready)
  app.get('/metrics', metrics)
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    app.all(path, () => methodNotAllowed('GET'))
  }
  app.notFound(nothingHere)
  return app
}

/** One part that people need. */
interface ReadinessPart {
  readonly name: string
  readonly ready: boolean
  /** Whether requests should go elsewhere while it isn't ready. */
  readonly required: boolean
  /** A plain sentence without secrets. */
  readonly message: string
}

/** What `GET /readyz` responds; `degraded`: ready, but a part that isn't required is not. */
interface Readiness {
  readonly ready: boolean
  readonly status: 'ready' | 'degraded' | 'not-ready'
  readonly parts: readonly ReadinessPart[]
}

/** What must be ready. */
interface ReadinessOptions {
  readonly status: Status
  readonly database: DatabaseWatch | undefined
  /** Whether evaluations are being recorded; left out where none are. */
  readonly recording: (() => EvaluationList['recording']) | undefined
  /** Whether this process is shutting down. */
  readonly isEnding: () => boolean
}

/**
 * Whether this process can serve requests (docs/design.md#readiness): it isn't shutting down and its
 * database can be written, which is tried at most every 10 s, and twice a second while it can't. The
 * servers behind it are reported, as far as they are known, but a lost one is lost for every other
 * process, too.
 */
async function readiness(options: ReadinessOptions): Promise<Readiness> {
  const { status, database, recording, isEnding } = options
  await database?.probe()
  // What is out of date is looked at for the next probe: this one doesn't wait for a slow server.
  void status.report()
  const { buildServer, policyService } = status.known()
  const isServing = status.isServing()
  const parts = [
    ...(isEnding()
      ? [{ name: 'process', ready: false, required: true, message: 'Sightline is shutting down.' }]
      : []),
    databasePart(database),
    serverPart('build server', buildServer, isServing.buildServer),
    serverPart('policy service', policyService, isServing.policyService),
    ...historyParts(recording, database),
  ]
  const isReady = parts.every(({ ready, required }) => ready || !required)
  const isWhole = parts.every(({ ready }) => ready)
  return { ready: isReady, status: isWhole ? 'ready' : isReady ? 'degraded' : 'not-ready', parts }
}

function databasePart(database: DatabaseWatch | undefined): ReadinessPart {
  const { health, message } = database?.status() ?? { health: 'ok', message: 'None is used.' }
  // One that only fails to record is responding.
  const isFailed = health === 'failed'
  return {
    name: 'database',
    ready: !isFailed,
    required: true,
    message: isFailed || database === undefined ? message : 'The database is responding.',
  }
}

function serverPart(name: string, { message }: StatusPart, ready: boolean): ReadinessPart {
  return { name, ready, required: false, message }
}

/** Always ready: evaluations go on without being recorded. */
function historyParts(
  recording: ReadinessOptions['recording'],
  database: DatabaseWatch | undefined,
): readonly ReadinessPart[] {
  if (recording === undefined) return []
  const { ok, reason } = recording()
  const isWorking = ok && database?.status().health !== 'failed'
  const message = isWorking
    ? 'Recording evaluations works.'
    : (reason ?? "Evaluations can't be recorded while the database fails.")
  return [{ name: 'history', ready: true, required: false, message }]
}
