import { type Context, Hono } from 'hono'
import { sessionPath } from '../../../protocol/session.ts'
import { type Audit, recordSignInRefusal } from '../history/audit.ts'
import type { Metrics } from '../metrics.ts'
import { methodNotAllowed } from '../problem-response.ts'
import { addressOf } from '../protect.ts'
import { readRequestBody } from '../read-request.ts'
import type { ProxyEnv, Sessions, SignInRequest } from '../sessions.ts'
import { cookieIn, sessionCookie, setCookie } from './session-cookie.ts'

/**
 * `/session`: POST begins or renews one, GET says whose it is and why, DELETE ends it, with
 * `?everywhere` on all devices (docs/design.md#proxy-routes).
 */
export function sessionRoutes(options: {
  readonly sessions: Sessions
  readonly metrics: Metrics
  readonly audit: Audit
}): Hono<ProxyEnv> {
  const { sessions, metrics, audit } = options
  const routes = new Hono<ProxyEnv>()
  routes.post(sessionPath, async (c) => {
    try {
      const { session, cookie } = await sessions.open(await signInRequest(c))
      metrics.sessionCreated()
      if (cookie !== undefined) c.header('set-cookie', cookie, { append: true })
      return c.json(session)
    } catch (error) {
      // The cookie stays: in this browser somebody may have signed in since it was sent, and got another.
      recordSignInRefusal(audit, c, error)
      throw error
    }
  })
  routes.get(sessionPath, async (c) => c.json(await sessions.report(c.get('session'))))
  routes.delete(sessionPath, async (c) => {
    const all = c.req.queries('everywhere') !== undefined
    const answer = c.json(await sessions.end(await signInRequest(c), all))
    // What was sent is good for nothing any more.
    if (cookieIn(c.req.raw.headers, sessionCookie) !== undefined) {
      answer.headers.append('set-cookie', setCookie(sessionCookie, '', 0))
    }
    return answer
  })
  routes.all(sessionPath, () => methodNotAllowed('GET', 'POST', 'DELETE'))
  return routes
}

async function signInRequest(c: Context<ProxyEnv>): Promise<SignInRequest> {
  const { raw } = c.req
  return {
    headers: raw.headers,
    rawHeaders: c.env.incoming?.rawHeaders ?? [],
    body: await readRequestBody(raw),
    address: addressOf(c),
    from: c.get('from'),
  }
}
