import { type Handler, Hono } from 'hono'
import type { Logger } from 'pino'
import type { Metrics } from '../metrics.ts'
import { errorCatcher, methodNotAllowed, nothingHere } from '../problem-response.ts'
import { secureData } from '../security-headers.ts'
import type { ProxyEnv } from '../sessions.ts'
import { readiness, type ReadinessOptions } from './readiness.ts'

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
  options: { readonly logger: Logger; readonly redact: (text: string) => string },
): Hono<ProxyEnv> {
  const app = new Hono<ProxyEnv>()
  app.onError(errorCatcher(options))
  app.use(secureData)
  app.get('/healthz', alive)
  app.get('/readyz', ready)
  app.get('/metrics', metrics)
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    app.all(path, () => methodNotAllowed('GET'))
  }
  app.notFound(nothingHere)
  return app
}
