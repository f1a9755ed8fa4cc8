import type { MiddlewareHandler } from 'hono'
import type { Logger } from 'pino'
import type { Clock } from '../../protocol/clock.ts'
import type { Metrics } from './metrics.ts'
import type { ProxyEnv } from './proxy-env.ts'

const longestPath = 400

/**
 * One line and one count per request, when its answer begins: method, route, path, status and ms.
 * The line is JSON, which escapes whatever a path may hold; headers and query values are left out.
 */
export function accessLog(options: {
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
