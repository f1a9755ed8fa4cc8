import { type Context, Hono } from 'hono'
import { errors, jwtVerify } from 'jose'
import {
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  type Configuration,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  ResponseBodyError,
} from 'openid-client'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Clock } from '../../../protocol/clock.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { longestWayBack } from '../../../protocol/sign-in.ts'
import type { Database } from '../../store/database.ts'
import { addFailure, forgetUse, useOnce } from '../../store/sessions.ts'
import type { Audit } from '../history/audit.ts'
import { methodNotAllowed } from '../problem-response.ts'
import { readRequestBody } from '../read-request.ts'
import type { ProxyEnv } from '../sessions.ts'
import {
  type OidcConnection,
  type OidcSettings,
  providerFault,
  signatureAlgorithms,
  skewSeconds,
} from './oidc-connection.ts'
import { type Identify, NoRole, shownName, subjectOf } from './oidc-identity.ts'
import {
  createSessionSecrets,
  forgetAttempt,
  keepAttempt,
  nameBrowser,
  randomKey,
  type SignInAttempt,
  signInAttempts,
  signInBrowser,
} from './session-cookie.ts'
import { hashOf, type StoredSessions } from './stored-sessions.ts'

/** Where a browser begins to sign in, comes back to, and where the provider ends sessions. */
export const signInPath = '/session/sign-in'
const callbackPath = '/session/callback'
const logoutPath = '/session/logout'

const mostFailures = 10_000
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
  readonly redact: (text: string) => string
}

/**
 * `GET /session/sign-in` sends the browser to the provider, `GET /session/callback` takes it back,
 * and `POST /session/logout` is the provider's back-channel logout
 * (docs/design.md#sign-in-with-an-identity-provider).
 */
export function oidcRoutes(options: OidcRoutesOptions): Hono<ProxyEnv> {
  const { publicUrl, connection, database, clock, logger, sessions, settings, redact } = options
  const secrets = createSessionSecrets(options.sessionSecret)
  const routes = new Hono<ProxyEnv>()

  routes.get(signInPath, async (c) => {
    const to = ownPath(c.req.query('to'), publicUrl)
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
    try {
      const { configuration } = connection.provider()
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: new URL(callbackPath, publicUrl).href,
        scope: settings.scopes,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(c.req.query('account') === 'other' && { prompt: anotherAccount(configuration) }),
      })
      const attempt = { state, nonce, verifier, to, expiresAt: clock.now() + attemptMs }
      for (const cookie of keepAttempt(attempt, begunIn(c), secrets, attemptMs / 1000)) {
        c.header('set-cookie', cookie, { append: true })
      }
      return c.redirect(url.href, 303)
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      // The page says why, as `POST /session` does, and tries again.
      return c.redirect(to, 303)
    }
  })

  routes.get(callbackPath, async (c) => {
    const attempt = begunIn(c).find(({ state }) => state === c.req.query('state'))
    // Whatever becomes of it, it is good once.
    if (attempt !== undefined) c.header('set-cookie', forgetAttempt(attempt), { append: true })
    const failed = failing(c, attempt?.to ?? '/')
    const detail =
      "This sign-in wasn't started in this browser, was used before, or took longer than 10 minutes. Sign in again."
    if (attempt === undefined) {
      // Who is signed in has gone back to an address of then: there is nothing to complain of.
      const isOpen = await sessions.isOpen(c.req.raw.headers).catch(() => false)
      return isOpen ? c.redirect('/', 303) : failed({ detail })
    }
    try {
      const provider = connection.provider()
      const url = new URL(callbackPath, publicUrl)
      url.search = new URL(c.req.url).search
      const tokens = await authorizationCodeGrant(provider.configuration, url, {
        pkceCodeVerifier: attempt.verifier,
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        idTokenExpected: true,
      })
      const identity = await options.identify(provider, tokens)
      const use = useOnce(database, hashOf(attempt.state), attempt.expiresAt)
      // The browser has forgotten it, but whoever has copied its cookie has not. Without the database
      // no session begins, which says why.
      if (!(await use.catch(() => true))) return await failed({ detail })
      const { cookie = '' } = await sessions.begin(identity, {
        headers: c.req.raw.headers,
        from: c.get('from'),
      })
      c.header('set-cookie', cookie, { append: true })
      return c.redirect(attempt.to, 303)
    } catch (error) {
      if (error instanceof NoRole) {
        const { message, user: name, claims } = error
        return failed({ detail: message, claims }, { name })
      }
      const reason = redact(providerFault(error).reason)
      logger.warn({ reason }, 'a sign-in failed')
      // What stands in the address may be the visitor's own words, which are not kept for ever.
      const audited =
        error instanceof AuthorizationResponseError
          ? { detail: 'The browser came back from the identity provider with an error.' }
          : {}
      return failed({ detail: failureText(error, settings.issuer, redact) }, audited)
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

  /** The sign-ins that were begun in a browser and have not ended: nothing of them stays here. */
  function begunIn(c: Context<ProxyEnv>): readonly SignInAttempt[] {
    return signInAttempts(c.req.raw.headers, secrets, clock.now())
  }

  /** Ends what a logout token names (OpenID Connect Back-Channel Logout 1.0, 2.6), or says why not. */
  async function logOut(token: string): Promise<string | undefined> {
    const { withKeys, configuration } = connection.provider()
    const { issuer } = configuration.serverMetadata()
    const expected = {
      issuer,
      audience: settings.clientId,
      algorithms: [...signatureAlgorithms],
      requiredClaims: ['iat', 'jti'],
      maxTokenAge: logoutTokenMs / 1000,
      clockTolerance: skewSeconds,
      currentDate: new Date(clock.now()),
    }
    const verified = await withKeys((keys) => jwtVerify(token, keys, expected)).catch(reasonOf)
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
    if (!(await useOnce(database, idHash, keptUntil))) {
      return 'The logout token was used before.'
    }
    const why = 'The identity provider ended the session.'
    try {
      const subject = sub === undefined ? undefined : subjectOf(settings.issuer, sub)
      if (sid !== undefined) {
        await sessions.endAll({ mode: 'oidc', providerSession: sid, subject }, why)
      } else if (subject !== undefined) await sessions.endAll({ mode: 'oidc', subject }, why)
    } catch (error) {
      // The provider sends it again.
      await forgetUse(database, idHash)
      throw error
    }
    return undefined
  }

  /** Back to the page, where `POST /session` says once what went wrong. */
  function failing(c: Context<ProxyEnv>, to: string) {
    return async (
      failure: { readonly detail: string; readonly claims?: Readonly<Record<string, unknown>> },
      { name = 'unknown', detail = failure.detail } = {},
    ): Promise<Response> => {
      options.audit.record({
        actor: { kind: 'person', name },
        from: c.get('from'),
        action: 'sign-in-refused',
        subject: name,
        outcome: 'refused',
        detail,
      })
      const now = clock.now()
      const browser = signInBrowser(c.req.raw.headers) ?? randomKey()
      c.header('set-cookie', nameBrowser(browser, attemptMs / 1000), { append: true })
      const kept = {
        idHash: hashOf(randomKey()),
        browserHash: hashOf(browser),
        failure: JSON.stringify(failure),
        expiresAt: now + attemptMs,
      }
      await addFailure(database, kept, { now, most: mostFailures }).catch(() => {
        // The page says so, as `POST /session` does.
        logger.error('the database is away, so a sign-in could not be completed')
      })
      return c.redirect(to, 303)
    }
  }
}

const LogoutClaims = z
  .object({
    jti: z.string().min(1),
    sid: z.string().min(1).optional(),
    sub: z.string().min(1).optional(),
    events: z.object({ 'http://schemas.openid.net/event/backchannel-logout': z.looseObject({}) }),
  })
  .refine(({ sid, sub }) => sid !== undefined || sub !== undefined)

/**
 * A path of this proxy, from what a link names as the page to come back to; `/` for everything else:
 * other origins in whatever spelling, and the addresses of signing in itself.
 */
function ownPath(text: string | undefined, publicUrl: URL): string {
  if (text === undefined || text.length > longestWayBack || !/^\/[\x21-\x7e]*$/.test(text))
    return '/'
  if (text.includes('\\') || !URL.canParse(text, publicUrl)) return '/'
  const { origin, pathname, search, hash } = new URL(text, publicUrl)
  const isOwn = origin === publicUrl.origin && !pathname.startsWith('//')
  return isOwn && !/^\/session(?:\/|$)/.test(pathname) ? `${pathname}${search}${hash}` : '/'
}

/** Why a sign-in failed, in a sentence without a secret. */
function failureText(error: unknown, issuer: URL, redact: (text: string) => string): string {
  if (error instanceof ProblemError) return error.message
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const { error: code, error_description: description = '' } = error
    const said = shownName(redact(description)) || shownName(redact(code))
    // RFC 6749, 4.1.2.1: it refuses nothing.
    if (/^(?:server_error|temporarily_unavailable)$/.test(code)) {
      return `The identity provider couldn't complete the sign-in: ${said.replace(/\.$/, '')}. Sign in again in a few seconds.`
    }
    return `The identity provider refused the sign-in: ${said.replace(/\.$/, '')}. ${cures[code] ?? 'Sign in again.'}`
  }
  const { is, reason } = providerFault(error)
  const provider = `identity provider at ${issuer.host}`
  const why = redact(reason)
  switch (is) {
    case 'silent':
      // Why is for the log: it may name addresses inside the network.
      return `The ${provider} isn't responding. Sign in again in a few seconds.`
    case 'busy':
      return `The ${provider} couldn't complete the sign-in (${why}). Sign in again in a few seconds.`
    case 'client':
      return `The ${provider} refused Sightline (${why}). ${checkClient}`
    case 'unusable':
      return `The answer of the ${provider} can't be used (${why}). Sign in again, or ask an administrator to look at the log.`
    case 'unverified': {
      const isKnown = error instanceof ClientError || error instanceof errors.JOSEError
      if (isKnown && error.code === timestampFailed) return outOfTime
      const code = isKnown && error.code !== undefined ? ` (${error.code})` : ''
      return `The identity provider's answer couldn't be verified${code}. Sign in again, or ask an administrator to look at the log.`
    }
  }
}

/** The code of openid-client. */
const timestampFailed = 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED'
const outOfTime = `The identity provider's answer couldn't be verified: it has expired or isn't valid yet. The clocks of the provider and of Sightline may be more than ${skewSeconds / 60} minutes apart. Ask an administrator to check both.`
const checkClient =
  'Ask an administrator to check signIn.oidc.clientId in the configuration file and SIGHTLINE_OIDC_CLIENT_SECRET.'
/**
 * Has the provider ask who signs in. Every provider has to understand `login` (OpenID Connect Core 1.0, 15.1).
 * `select_account` asks for no password again, but only some know it and say so (Initiating User Registration 1.0, 4).
 */
function anotherAccount(configuration: Configuration): 'login' | 'select_account' {
  const { prompt_values_supported: known } = configuration.serverMetadata()
  return Array.isArray(known) && known.includes('select_account') ? 'select_account' : 'login'
}

/** By the code (RFC 6749, 4.1.2.1 and 5.2), where signing in again may change nothing. */
const cures: Readonly<Record<string, string>> = {
  access_denied: 'Sign in again, or ask an administrator for access.',
  invalid_client: checkClient,
  invalid_scope: 'Ask an administrator to check signIn.oidc.scopes in the configuration file.',
  unauthorized_client: checkClient,
}
