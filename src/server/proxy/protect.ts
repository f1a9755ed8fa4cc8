import type { Context, MiddlewareHandler } from 'hono'
import { isIP } from 'node:net'
import { type Clock, minuteMs } from '../../protocol/clock.ts'
import { isLoopback } from '../../protocol/loopback.ts'
import { problem, problemError, ProblemError } from '../../protocol/problem.ts'
import { unknownHost } from './problem-response.ts'
import type { ScreenSessions } from './screens/screen-sessions.ts'
import type { ProxyEnv, Sessions, SignIn, VerifiedSession } from './sessions.ts'
import { noSession } from './sign-in/bearer-tokens.ts'
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

/**
 * For metrics without a session, whose scrapers may use any name: a browser may use an address, a
 * loopback name or one of `allowed`, as a page whose name was made to point here would read them. Over
 * plain HTTP such a page sends neither Origin nor Fetch Metadata, and can change what its browser calls
 * itself or its languages, in most browsers not both. Throws a ProblemError 421.
 */
export function checkBrowserHost(allowed: readonly string[]): MiddlewareHandler<ProxyEnv> {
  return async (c, next) => {
    const host = hostOf(c)
    const isBrowser =
      ['origin', 'sec-fetch-site', 'referer'].some(
        (header) => c.req.header(header) !== undefined,
      ) ||
      // Programs on Node send "*".
      (c.req.header('accept-language') ?? '*') !== '*' ||
      c.req.header('user-agent')?.includes('Mozilla/') === true
    const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
    if (isBrowser && isIP(name) === 0) requireAllowedHost(host, allowed)
    await next()
  }
}

/**
 * The session of a request, of whichever kind its Authorization header is: a screen's, an access
 * token of the way to sign in, or a browser's. Throws a ProblemError 401.
 */
export async function sessionOf(
  c: Context<ProxyEnv>,
  ways: {
    readonly sessions: Sessions
    readonly signIn: Pick<SignIn, 'verify' | 'isOthers'>
    readonly screens: ScreenSessions | undefined
  },
): Promise<VerifiedSession> {
  const authorization = c.req.header('authorization')
  const own =
    (await ways.screens?.verify(authorization)) ??
    (await ways.signIn.verify?.(authorization, addressOf(c)))
  if (own !== undefined) return own
  const session = await ways.sessions.verify(authorization)
  const rawHeaders = c.env.incoming?.rawHeaders ?? []
  if (ways.signIn.isOthers?.(session.user, { rawHeaders }) === true) {
    throw noSession('Somebody else is signed in now')
  }
  return session
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
export function requireSameOrigin(c: Context<ProxyEnv>, allowed: readonly string[]): void {
  const { headers } = c.req.raw
  const host = hostOf(c)
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

/** Lets somebody do something only so often. */
export interface RateLimit {
  /** Counts one; throws a ProblemError 429 with Retry-After once there were too many. */
  readonly take: (key: string) => void
}

/** At most `most` in each minute for a key, such as an address; what is kept of keys is bounded. */
export function createRateLimit(clock: Clock, most: number): RateLimit {
  let minute = -1
  let counts = new Map<string, number>()
  return {
    take: (key) => {
      const now = clock.now()
      const present = Math.floor(now / minuteMs)
      if (present !== minute) {
        minute = present
        counts = new Map()
      }
      // Past so many keys they share one count: whoever has so many addresses is one.
      const counted = counts.has(key) || counts.size < keptKeys ? key : ''
      const count = (counts.get(counted) ?? 0) + 1
      counts.set(counted, count)
      if (count > most) throw tooOften((minute + 1) * minuteMs - now)
    },
  }
}

const keptKeys = 10_000

function tooOften(retryAfterMs: number): ProblemError {
  return new ProblemError(
    problem(429, 'too-often', 'Too many attempts', 'Too many attempts. Try again in a minute.'),
    { retryAfterMs },
  )
}
