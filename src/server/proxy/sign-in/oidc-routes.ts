import { type Context, Hono } from 'hono'
import { jwtVerify } from 'jose'
import {
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  ResponseBodyError,
} from 'openid-client'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Clock } from '../../../protocol/clock.ts'
import { ProblemError, problemError } from '../../../protocol/problem.ts'
import type { Database } from '../../store/database.ts'
import {
  addAttempt,
  forgetLogoutToken,
  type SignInAttempt,
  takeAttempt,
  useLogoutToken,
} from '../../store/sessions.ts'
import type { Audit } from '../history/audit.ts'
import { methodNotAllowed } from '../problem-response.ts'
import { readRequestBody } from '../read-request.ts'
import type { ProxyEnv } from '../sessions.ts'
import { type OidcConnection, type OidcSettings, skewSeconds } from './oidc-connection.ts'
import { type Identify, NoRole, subjectOf } from './oidc-identity.ts'
import {
  cookieIn,
  createSessionSecrets,
  randomKey,
  setCookie,
  signInCookie,
} from './session-cookie.ts'
import { hashOf, type StoredSessions } from './stored-sessions.ts'

/** Where a browser begins to sign in, comes back to, and where the provider ends sessions. */
export const signInPath = '/session/sign-in'
const callbackPath = '/session/callback'
const logoutPath = '/session/logout'

const mostAttempts = 10_000
/** So long may signing in at the provider take. */
const attemptMs = 10 * 60_000
/** A logout token that was issued longer ago is refused; used ones are remembered for longer. */
const logoutTokenMs = 10 * 60_000

interface OidcRoutesOptions {
  readonly settings: OidcSettings
  readonly publicUrl: URL
  readonly sessionSecret: string
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly audit: Audit
  readonly sessions: StoredSessions
  readonly connection: OidcConnection
  readonly identify: Identify
}

/**
 * `GET /session/sign-in` sends the browser to the provider, `GET /session/callback` takes it back,
 * and `POST /session/logout` is the provider's back-channel logout
 * (docs/design.md#sign-in-with-an-identity-provider).
 */
export function oidcRoutes(options: OidcRoutesOptions): Hono<ProxyEnv> {
  const { publicUrl, connection, database, clock, logger, sessions, settings } = options
  const secrets = createSessionSecrets(options.sessionSecret)
  const routes = new Hono<ProxyEnv>()

  routes.get(signInPath, async (c) => {
    const to = ownPath(c.req.query('to'), publicUrl)
    const browser = cookieIn(c.req.raw.headers, signInCookie) ?? randomKey()
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
    let url: URL
    try {
      url = buildAuthorizationUrl(connection.provider().configuration, {
        redirect_uri: new URL(callbackPath, publicUrl).href,
        scope: settings.scopes,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      // The page says why, as `POST /session` does, and tries again.
      return c.redirect(to, 303)
    }
    const stateHash = hashOf(state)
    await begun({
      stateHash,
      browserHash: hashOf(browser),
      sealed: secrets.seal(JSON.stringify({ nonce, verifier, to }), stateHash),
      failure: null,
      expiresAt: clock.now() + attemptMs,
    })
    c.header('set-cookie', setCookie(signInCookie, browser, attemptMs / 1000))
    return c.redirect(url.href, 303)
  })

  routes.get(callbackPath, async (c) => {
    const browser = cookieIn(c.req.raw.headers, signInCookie)
    const state = c.req.query('state') ?? ''
    const stateHash = hashOf(state)
    let sealed: string | undefined
    try {
      const of = { stateHash, browserHash: hashOf(browser ?? '') }
      sealed = browser === undefined ? undefined : await takeAttempt(database, of, clock.now())
    } catch {
      logger.error('the database is away, so a sign-in could not be completed')
      // The page says so, as `POST /session` does.
      return c.redirect('/', 303)
    }
    const text = sealed === undefined ? undefined : secrets.open(sealed, stateHash)
    if (text === undefined) {
      const detail =
        "This sign-in wasn't started in this browser, was used before, or took longer than 10 minutes. Sign in again."
      return failed(c, '/', { detail })
    }
    const { nonce, verifier, to } = Attempt.parse(JSON.parse(text))
    try {
      const provider = connection.provider()
      const url = new URL(callbackPath, publicUrl)
      url.search = new URL(c.req.url).search
      const tokens = await authorizationCodeGrant(provider.configuration, url, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      })
      const { cookie = '' } = await sessions.begin(await options.identify(provider, tokens), {
        headers: c.req.raw.headers,
        from: c.get('from'),
      })
      c.header('set-cookie', cookie)
      return c.redirect(to, 303)
    } catch (error) {
      if (error instanceof NoRole) {
        return failed(c, to, { detail: error.message, claims: error.claims }, error.user)
      }
      const reason = error instanceof Error ? error.message : 'unknown'
      logger.warn({ reason }, 'a sign-in failed')
      return failed(c, to, { detail: reasonOf(error) })
    }
  })

  routes.post(logoutPath, async (c) => {
    const form = new URLSearchParams(new TextDecoder().decode(await readRequestBody(c.req.raw)))
    const refusal = await logOut(form.get('logout_token') ?? '')
    c.header('cache-control', 'no-store')
    if (refusal === undefined) return c.body(null, 200)
    logger.warn({ reason: refusal }, 'a back-channel logout was refused')
    return c.json({ error: 'invalid_request', error_description: refusal }, 400)
  })
  for (const path of [signInPath, callbackPath]) routes.all(path, () => methodNotAllowed('GET'))
  routes.all(logoutPath, () => methodNotAllowed('POST'))
  return routes

  /** Keeps an attempt; there is room for so many that only a flood fills it. */
  async function begun(attempt: SignInAttempt): Promise<void> {
    if (await addAttempt(database, attempt, { now: clock.now(), most: mostAttempts })) return
    const detail = 'Too many people are signing in at once. Try again in a few minutes.'
    throw problemError(429, 'too-many-sign-ins', 'Too many sign-ins', detail)
  }

  /** Ends what a logout token names (OpenID Connect Back-Channel Logout 1.0, 2.6), or says why not. */
  async function logOut(token: string): Promise<string | undefined> {
    const { keys, configuration } = connection.provider()
    const { issuer } = configuration.serverMetadata()
    const verified = await jwtVerify(token, keys, {
      issuer,
      audience: settings.clientId,
      algorithms: [...signatureAlgorithms],
      requiredClaims: ['iat', 'jti'],
      maxTokenAge: logoutTokenMs / 1000,
      clockTolerance: skewSeconds,
      currentDate: new Date(clock.now()),
    }).catch((error: unknown) => (error instanceof Error ? error.message : 'unreadable'))
    if (typeof verified === 'string') return `The logout token isn't valid: ${verified}.`
    const { typ = 'JWT' } = verified.protectedHeader
    if (!['logout+jwt', 'jwt'].includes(typ.toLowerCase())) {
      return "The logout token isn't valid: it is of another type."
    }
    const claims = LogoutClaims.safeParse(verified.payload)
    if (!claims.success || 'nonce' in verified.payload) {
      return "The logout token isn't valid: it must have the logout event, sub or sid, and no nonce."
    }
    const { jti, sid, sub } = claims.data
    const keptUntil = clock.now() + 2 * (logoutTokenMs + skewSeconds * 1000)
    const idHash = hashOf(JSON.stringify([issuer, jti]))
    if (!(await useLogoutToken(database, idHash, keptUntil))) {
      return 'The logout token was used before.'
    }
    const why = 'The identity provider ended the session.'
    try {
      if (sid !== undefined) await sessions.endAll({ mode: 'oidc', providerSession: sid }, why)
      else if (sub !== undefined) {
        await sessions.endAll({ mode: 'oidc', subject: subjectOf(settings.issuer, sub) }, why)
      }
    } catch (error) {
      // The provider sends it again.
      await forgetLogoutToken(database, idHash)
      throw error
    }
    return undefined
  }

  /** Back to the page, where `POST /session` says once what went wrong. */
  async function failed(
    c: Context<ProxyEnv>,
    to: string,
    failure: { readonly detail: string; readonly claims?: Readonly<Record<string, unknown>> },
    name = 'unknown',
  ): Promise<Response> {
    const from = c.get('from')
    options.audit.record({
      actor: { kind: 'person', name },
      from,
      action: 'sign-in-refused',
      subject: name,
      outcome: 'refused',
      detail: failure.detail,
    })
    const browser = cookieIn(c.req.raw.headers, signInCookie) ?? randomKey()
    await begun({
      stateHash: hashOf(randomKey()),
      browserHash: hashOf(browser),
      sealed: null,
      failure: JSON.stringify(failure),
      expiresAt: clock.now() + attemptMs,
    })
    c.header('set-cookie', setCookie(signInCookie, browser, attemptMs / 1000))
    return c.redirect(to, 303)
  }
}

const Attempt = z.object({ nonce: z.string(), verifier: z.string(), to: z.string() })

const LogoutClaims = z
  .object({
    jti: z.string().min(1),
    sid: z.string().min(1).optional(),
    sub: z.string().min(1).optional(),
    events: z.object({ 'http://schemas.openid.net/event/backchannel-logout': z.looseObject({}) }),
  })
  .refine(({ sid, sub }) => sid !== undefined || sub !== undefined)

/** Signed with the provider's own key: none that the client could have made as well. */
const signatureAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const

const longestPath = 2000

/**
 * A path of this proxy, from what a link names as the page to come back to; `/` for everything else:
 * other origins in whatever spelling, and the addresses of signing in itself.
 */
function ownPath(text: string | undefined, publicUrl: URL): string {
  if (text === undefined || text.length > longestPath || !/^\/[\x21-\x7e]*$/.test(text)) return '/'
  if (text.includes('\\') || !URL.canParse(text, publicUrl)) return '/'
  const { origin, pathname, search, hash } = new URL(text, publicUrl)
  const isOwn = origin === publicUrl.origin && !pathname.startsWith('//')
  return isOwn && !/^\/session(?:\/|$)/.test(pathname) ? `${pathname}${search}${hash}` : '/'
}

/** Why a sign-in failed, in a sentence without a secret. */
function reasonOf(error: unknown): string {
  if (error instanceof ProblemError) return error.message
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const said = (error.error_description ?? error.error)
      .replace(/[^\x20-\x7e]/g, ' ')
      .slice(0, 200)
    return `The identity provider refused the sign-in: ${said.replace(/\.$/, '')}. Sign in again.`
  }
  const code = error instanceof ClientError && error.code !== undefined ? ` (${error.code})` : ''
  return `The identity provider's answer couldn't be verified${code}. Sign in again, or ask an administrator to look at the log.`
}
