import type { Context, MiddlewareHandler } from 'hono'
import { isLoopback } from '../../protocol/loopback.ts'
import { problemError, ProblemError } from '../../protocol/problem.ts'
import { unknownHost } from './problem-response.ts'
import { refuseScreens, type ScreenSessions } from './screens/screen-sessions.ts'
import type { ProxyEnv, Sessions, SignIn } from './sessions.ts'
import { canonicalTarget, targetOf } from './upstream/allow-list.ts'

/** For every request: an address in its canonical spelling, and a host name of this proxy's own. */
export function checkAddress(allowedHosts: readonly string[]): MiddlewareHandler<ProxyEnv> {
  return async (c, next) => {
    requireAllowedHost(hostOf(c), allowedHosts)
    const check = canonicalTarget(targetOf(c.req.url))
    if (!check.ok) {
      throw problemError(check.status, 'bad-target', 'Bad address', check.mistake)
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
  signIn: Pick<SignIn, 'verify'>,
  screens?: ScreenSessions,
): MiddlewareHandler<ProxyEnv> {
  return async (c, next) => {
    const authorization = c.req.header('authorization')
    const screen = await screens?.verify(authorization)
    const session =
      screen ??
      (await signIn.verify?.(authorization, addressOf(c))) ??
      (await sessions.verify(authorization))
    refuseScreens(session, { method: c.req.raw.method, path: c.req.path })
    c.set('session', session)
    await next()
  }
}

/** The address that a request's connection came from; undefined without a socket. */
export function addressOf(c: Context<ProxyEnv>): string | undefined {
  return c.env.incoming?.socket.remoteAddress
}

function hostOf(c: Context<ProxyEnv>): string {
  return c.req.header('host') ?? new URL(c.req.url).host
}

/**
 * Refuses a request for a host name that is not this proxy's own: a page of somebody else's whose
 * name was made to point here (DNS rebinding) would otherwise count as the same origin. Loopback
 * names are always allowed, on any port; `allowed` adds names, on any port unless it names one.
 * Throws a ProblemError 421.
 */
function requireAllowedHost(host: string, allowed: readonly string[]): void {
  const name = host.toLowerCase().replace(/:\d+$/, '')
  if (isLoopback(name)) return
  const known = allowed.map((entry) => entry.toLowerCase())
  if (known.includes(name) || known.includes(host.toLowerCase())) return
  throw new ProblemError(unknownHost)
}

/**
 * Refuses what a browser sends on behalf of another site's page: by Fetch Metadata where it is sent
 * (`Sec-Fetch-Site` other than `same-origin`, or `none` for an address that a person has typed), and
 * by an Origin that is not this host or one of `allowed`. Programs that are no browsers send neither.
 * Throws a ProblemError 403.
 */
function requireSameOrigin(headers: Headers, host: string, allowed: readonly string[]): void {
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  const fromElsewhere = site !== null && site !== 'same-origin' && site !== 'none'
  if (!fromElsewhere && (origin === null || isOwn(origin, host, allowed))) return
  throw problemError(
    403,
    'cross-site',
    'Cross-site request',
    'The request came from a page on another site. Open the dashboard at its own address.',
  )
}

function isOwn(origin: string, host: string, allowed: readonly string[]): boolean {
  const own = /^https?:\/\/(?<host>[^/]+)$/.exec(origin.toLowerCase())?.groups?.host
  return (
    own !== undefined &&
    (own === host.toLowerCase() || allowed.some((entry) => entry.toLowerCase() === own))
  )
}
