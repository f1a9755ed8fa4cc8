import type { Context, MiddlewareHandler } from 'hono'
import { requireAllowedHost } from './allowed-hosts.ts'
import { canonicalTarget, targetOf } from './canonical-target.ts'
import { problem, ProblemError } from '../../protocol/problem.ts'
import type { ProxyEnv } from './proxy-env.ts'
import { requireSameOrigin } from './same-origin.ts'
import { refuseScreens } from './screen-permission.ts'
import type { ScreenSessions } from './screen-sessions.ts'
import type { Sessions } from './sessions.ts'

/** For every request: an address in its canonical spelling, and a host name of this proxy's own. */
export function checkAddress(allowedHosts: readonly string[]): MiddlewareHandler<ProxyEnv> {
  return async (c, next) => {
    requireAllowedHost(hostOf(c), allowedHosts)
    const check = canonicalTarget(targetOf(c.req.url))
    if (!check.ok) {
      throw new ProblemError(problem(check.status, 'bad-target', 'Bad address', check.mistake))
    }
    await next()
  }
}

/** For everything that is no page: the request must not come from another site's page. */
export function sameOriginOnly(allowedHosts: readonly string[]): MiddlewareHandler<ProxyEnv> {
  return async (c, next) => {
    requireSameOrigin(c.req.raw.headers, hostOf(c), allowedHosts)
    await next()
  }
}

/**
 * For everything behind the session: sets `session`, or throws a ProblemError 401, or 403 for what is
 * not for screens.
 */
export function requireSession(
  sessions: Sessions,
  screens?: ScreenSessions,
): MiddlewareHandler<ProxyEnv> {
  return async (c, next) => {
    const authorization = c.req.header('authorization')
    const screen = await screens?.verify(authorization)
    const session = screen ?? (await sessions.verify(authorization))
    refuseScreens(session, { method: c.req.raw.method, path: c.req.path })
    c.set('session', session)
    await next()
  }
}

function hostOf(c: Context<ProxyEnv>): string {
  return c.req.header('host') ?? new URL(c.req.url).host
}
