import type { Hono } from 'hono'
import {
  buildEndSessionUrl,
  refreshTokenGrant,
  ResponseBodyError,
  tokenRevocation,
} from 'openid-client'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Clock } from '../../../protocol/clock.ts'
import { type ProblemError, problemError } from '../../../protocol/problem.ts'
import type { RoleRules } from '../../../protocol/role-rules.ts'
import type { Database } from '../../store/database.ts'
import { takeFailure } from '../../store/sessions.ts'
import type { Audit } from '../history/audit.ts'
import type { Identity, ProxyEnv, SignIn } from '../sessions.ts'
import type { Redactor } from '../upstream/credentials.ts'
import {
  connectOidc,
  type OidcSettings,
  type Provider,
  providerFault,
  secretsOf,
} from './oidc-connection.ts'
import {
  identifyBy,
  keptOf,
  NoRole,
  type OidcTokens,
  withRefreshToken,
  withRoles,
} from './oidc-identity.ts'
import { oidcRoutes, signInPath } from './oidc-routes.ts'
import { signInBrowser } from './session-cookie.ts'
import { hashOf, type StoredSessions } from './stored-sessions.ts'

/** Sign-in with an identity provider (OpenID Connect, authorization code with PKCE). */
export interface OidcSignIn extends SignIn {
  /** What answers below `/session`. */
  readonly routes: (sessions: StoredSessions) => Hono<ProxyEnv>
  /** Ends the search for a provider that does not answer. */
  readonly close: () => void
}

/** The provider is not asked more often than this about one session, however often it is renewed. */
const checkMs = 60_000
/** So long a renewal waits for the provider, ms. What it answers later is for the next one. */
const patienceMs = 10_000
/** Nobody renews a session after so long, ms. */
const lateMs = 4 * 60 * 60_000

/** Makes it; the provider need not answer yet. */
export function createOidcSignIn(options: {
  readonly settings: OidcSettings
  readonly roles: RoleRules
  /** Where browsers reach this proxy: the redirect address is built from it, and from nothing else. */
  readonly publicUrl: URL
  readonly sessionSecret: string
  readonly database: Database
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  readonly audit: Audit
  readonly redact: Redactor['redact']
  /** Told every secret that is exchanged with the provider: it may send one back in what it says. */
  readonly secrets: Pick<Redactor, 'add' | 'learn'>
}): OidcSignIn {
  const { publicUrl, database, clock, logger, roles, redact, secrets } = options
  for (const secret of secretsOf(options.settings)) secrets.add(secret)
  const connection = connectOidc(options)
  const known = identifyBy(options)
  const identify: typeof known = async (provider, tokens, before) => {
    learn(tokens)
    return known(provider, tokens, before)
  }

  function learn({ access_token, refresh_token }: Partial<OidcTokens>): void {
    for (const token of [access_token, refresh_token]) {
      if (token !== undefined) secrets.learn(token)
    }
  }

  /**
   * Refreshes by their token, until a renewal has what came of them: one that was sent isn't sent again, as a
   * provider that rotates tokens takes that for a theft and ends the session.
   */
  const sent = new Map<string, { readonly answer: Promise<OidcTokens>; readonly at: number }>()

  /** Throws where there is no answer in time, or none at all. */
  async function refreshed({ patient }: Provider, refreshToken: string): Promise<OidcTokens> {
    for (const [token, { at }] of sent) if (at < clock.now() - lateMs) sent.delete(token)
    const { answer, at } = sent.get(refreshToken) ?? {
      answer: refreshTokenGrant(patient, refreshToken),
      at: clock.now(),
    }
    sent.set(refreshToken, { answer, at })
    const forget = (): void => void sent.delete(refreshToken)
    answer.catch(forget)
    let cancel = (): void => undefined
    const late = new Promise<never>((_, reject) => {
      cancel = clock.after(patienceMs, () => {
        reject(new Error(`the identity provider didn't respond within ${patienceMs / 1000} s`))
      })
    })
    const tokens = await Promise.race([answer, late]).finally(cancel)
    forget()
    return tokens
  }

  /** After any fault but a refusal it goes on as it was, with the newest refresh token. */
  async function renewed(before: Identity, refreshToken: string): Promise<Identity> {
    let next = before
    try {
      const provider = connection.provider()
      learn({ refresh_token: refreshToken })
      // Until there is an answer it isn't known whether the token is still good.
      next = withRefreshToken(before, { isUnsure: true })
      const tokens = await refreshed(provider, refreshToken)
      learn(tokens)
      const newest = tokens.refresh_token ?? refreshToken
      next = withRefreshToken(before, { refreshToken: newest, checkedAt: clock.now() })
      return await identify(provider, tokens, before)
    } catch (error) {
      if (error instanceof NoRole) throw error
      if (error instanceof ResponseBodyError && error.error === 'invalid_grant') {
        throw keptOf(before)?.isUnsure === true
          ? signedOut(
              "Your session couldn't be renewed, as the identity provider didn't respond before. Sign in again.",
              { again: true },
            )
          : endedAs('The identity provider ended your session. Sign in again.')
      }
      const reason = redact(providerFault(error).reason)
      logger.warn({ reason }, 'renewing a sign-in failed; the session goes on')
      return next
    }
  }

  return {
    mode: 'oidc',
    signIn: async ({ headers }) => {
      const browser = signInBrowser(headers)
      const failure =
        browser === undefined
          ? undefined
          : await takeFailure(database, hashOf(browser), clock.now())
      // Whoever has just failed reads why, whatever the provider does by now.
      if (failure === undefined) connection.provider()
      throw signedOut(
        'Sign in to use Sightline.',
        failure === undefined ? {} : { failure: SignInFailure.parse(JSON.parse(failure)) },
      )
    },
    renew: async (before) => {
      const { refreshToken, checkedAt = 0 } = keptOf(before) ?? {}
      try {
        // Rules may have changed since, whether or not the provider can be asked.
        const now = withRoles(before, roles)
        return refreshToken === undefined || clock.now() - checkedAt < checkMs
          ? now
          : await renewed(now, refreshToken)
      } catch (error) {
        if (error instanceof NoRole) throw endedAs(error.message, error.claims)
        throw error
      }
    },
    signOut: async (before) => {
      const { configuration } = connection.provider()
      const { refreshToken } = keptOf(before) ?? {}
      const metadata = configuration.serverMetadata()
      if (refreshToken !== undefined && metadata.revocation_endpoint !== undefined) {
        await tokenRevocation(configuration, refreshToken).catch(() => {
          logger.warn('revoking the refresh token of a session that was signed out failed')
        })
      }
      if (metadata.end_session_endpoint === undefined) return undefined
      // Without the ID token as a hint, which would stand in an address, in histories and in logs.
      const back = new URL('/', publicUrl).href
      return buildEndSessionUrl(configuration, { post_logout_redirect_uri: back }).href
    },
    routes: (sessions) => oidcRoutes({ ...options, sessions, connection, identify }),
    close: () => {
      connection.close()
    },
  }
}

/** What `SignedOut` of protocol/session.ts says of a sign-in that failed. */
const SignInFailure = z.object({
  detail: z.string(),
  claims: z.record(z.string(), z.unknown()).optional(),
})

/** For the page that renews, which says why. */
function endedAs(detail: string, claims?: Readonly<Record<string, unknown>>): ProblemError {
  return signedOut(detail, { failure: { detail, ...(claims && { claims }) } })
}

function signedOut(detail: string, more: Record<string, unknown> = {}): ProblemError {
  const how = { mode: 'oidc', signInUrl: signInPath }
  return problemError(401, 'signed-out', 'Signed out', detail, { ...how, ...more })
}
