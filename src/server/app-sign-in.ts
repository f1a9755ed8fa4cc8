import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { Clock } from '../protocol/clock.ts'
import type { Config } from './config.ts'
import type { Notices } from './live-log/live-log.ts'
import type { Audit } from './proxy/history/audit.ts'
import type { ProxyOptions } from './proxy/proxy.ts'
import { type SignIn, signInAsLocalUser } from './proxy/sessions.ts'
import { createAccessTokens } from './proxy/sign-in/access-tokens.ts'
import { createHeaderSignIn } from './proxy/sign-in/header-sign-in.ts'
import { createStoredSessions, type StoredSessions } from './proxy/sign-in/stored-sessions.ts'
import type { Redactor } from './proxy/upstream/credentials.ts'
import type { Database } from './store/database.ts'
import { countSessions } from './store/sessions.ts'

/** How people sign in, and their sessions, as the proxy takes them. */
export interface SignInParts extends Pick<
  ProxyOptions,
  'signIn' | 'sessionSecret' | 'sessions' | 'signInRoutes' | 'accessTokens'
> {
  /** How many sessions are open; absent where nobody signs in. */
  readonly countSessions?: () => Promise<number>
  readonly close: () => void
}

/** The configured way to sign in. In every mode but `none`, access tokens work as well. */
export async function openSignIn(options: {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  readonly audit: Audit
  readonly log: Notices
  /** Masks the configured credentials, and what `secrets` has learned. */
  readonly redact: Redactor['redact']
  readonly secrets: Pick<Redactor, 'add' | 'learn'>
}): Promise<SignInParts> {
  const { config, database, clock, random, logger, audit, log, redact, secrets } = options
  const { mode, users, header, oidc, publicUrl, roles, sessionMs } = config.signIn
  const sessionSecret = config.sessionSecret?.reveal() ?? randomBytes(32).toString('base64')
  if (mode === 'none') {
    return { signIn: signInAsLocalUser, sessionSecret, close: () => undefined }
  }
  const common = { database, clock, logger, audit }
  const tokens = createAccessTokens({ users, ...common })
  const withSessions = (way: SignIn): SignInParts & { readonly sessions: StoredSessions } => {
    const signIn = { ...way, verify: tokens.verify }
    const stored = { signIn, secret: sessionSecret, lifetimeMs: sessionMs, log }
    const sessions = createStoredSessions({ ...common, ...stored })
    return {
      signIn,
      sessionSecret,
      sessions,
      accessTokens: tokens,
      countSessions: () => countSessions(database, clock.now()),
      close: sessions.close,
    }
  }
  if (mode === 'oidc' && oidc !== undefined && publicUrl !== undefined) {
    // Nobody else needs the library.
    const { createOidcSignIn } = await import('./proxy/sign-in/oidc.ts')
    const settings = { settings: oidc, roles, publicUrl, sessionSecret, random, redact, secrets }
    const provider = createOidcSignIn({ ...common, ...settings })
    const parts = withSessions(provider)
    return {
      ...parts,
      signInRoutes: provider.routes(parts.sessions),
      close: () => {
        provider.close()
        parts.close()
      },
    }
  }
  if (mode === 'header' && header !== undefined) {
    return withSessions(createHeaderSignIn({ ...header, roles, logger }))
  }
  const parts = withSessions(tokens.signIn)
  const subjectsBut = users.flatMap((user) => user.tokens.map(({ sha256 }) => sha256))
  await parts.sessions.endAll({ mode: 'tokens', subjectsBut }, 'The access token was removed.')
  return parts
}
