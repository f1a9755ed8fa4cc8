import { createHash, randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { HttpBindings } from '@hono/node-server'
import { jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import type { ActorKind } from '../../protocol/audit-log.ts'
import type { Clock } from '../../protocol/clock.ts'
import type { ProblemError } from '../../protocol/problem.ts'
import { problemError } from '../../protocol/problem.ts'
import { type Session, SessionUser } from '../../protocol/session.ts'

/** A session whose token was checked. */
export interface VerifiedSession {
  readonly id: string
  readonly user: User
  /** What kind of actor it is, for the audit log. */
  readonly kind: ActorKind
  /** When the token ends that was sent along, epoch ms; the session itself may be renewed. */
  readonly expiresAt: number
  /** Aborts when the session ends: signed out, revoked or over, here or at another proxy. */
  readonly ended: AbortSignal
}

/** Gives out sessions and recognises them; nothing is stored. */
export interface Sessions {
  readonly create: (identity: Identity) => Promise<Session>
  /**
   * The session of an Authorization header. Throws a ProblemError 401 with a plain sentence when
   * the header is missing, is no bearer token, or the token is forged or expired.
   */
  readonly verify: (authorization: string | undefined) => Promise<VerifiedSession>
}

const lifetimeMs = 12 * 60 * 60 * 1000
const issuer = 'sightline'
const algorithm = 'HS256'

const Claims = z.object({
  jti: z.string().min(1),
  user: SessionUser,
  kind: z.enum(['person', 'token']),
  exp: z.number(),
})

/**
 * Sessions as signed tokens (JWT, HS256) that live for 12 hours: every proxy with the same secret
 * recognises them, and they end when the secret changes. The signature is compared in constant time
 * (jose). Each session has a new id, whatever was sent along with the request for it.
 */
export function createSessions(options: {
  readonly secret: string
  readonly clock: Clock
}): Sessions {
  const { clock } = options
  // A key of full length, however long the secret is.
  const key = createHash('sha256').update(options.secret).digest()
  return {
    create: async ({ user, kind }) => {
      const now = Math.floor(clock.now() / 1000)
      const expiresAt = (now + lifetimeMs / 1000) * 1000
      const token = await new SignJWT({ user, kind })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(issuer)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(expiresAt / 1000)
        .sign(key)
      return { token, expiresAt, user }
    },
    verify: async (authorization) => {
      const token = /^Bearer ([\w.-]{1,4096})$/i.exec(authorization ?? '')?.[1]
      if (token === undefined) throw unauthorized('The request has no session')
      const claims = await claimsOf(token, key, clock.now())
      return {
        id: claims.jti,
        user: claims.user,
        kind: claims.kind,
        expiresAt: claims.exp * 1000,
        ended: never,
      }
    },
  }
}

/** Of sessions that nobody can end. */
const never = new AbortController().signal
setMaxListeners(0, never)

async function claimsOf(
  token: string,
  key: Uint8Array,
  now: number,
): Promise<z.infer<typeof Claims>> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [algorithm],
      issuer,
      audience: issuer,
      currentDate: new Date(now),
    })
    return Claims.parse(payload)
  } catch {
    throw unauthorized('The session has ended or is unknown')
  }
}

function unauthorized(what: string): ProblemError {
  return problemError(401, 'no-session', 'No session', `${what}. Reload the page to get a new one.`)
}

/** Who somebody is and what they may do. */
export type User = Readonly<SessionUser>

/** What somebody shows to get a session. */
export interface SignInRequest {
  readonly headers: Headers
  /** Whole, and at most as long as any request body may be; empty where there is none. */
  readonly body: Uint8Array
  /** The address that the connection came from; undefined without a socket. */
  readonly address: string | undefined
}

/** Who somebody was found to be, and by what. */
export interface Identity {
  readonly user: User
  readonly kind: 'person' | 'token'
  /** What names the same person or token at the next renewal. */
  readonly subject: string
  /** What was received about them, to be shown to themselves: never a secret. */
  readonly claims: Readonly<Record<string, unknown>>
  /** Which rule of the configuration gave the roles, in words; empty where there is none. */
  readonly rule: string
  /** The session ends then at the latest, epoch ms. */
  readonly notAfter?: number
  /** What the mode needs for the next renewal, such as a refresh token; it is stored sealed. */
  readonly sealed?: string
}

/**
 * A way of finding out who asks for a session. Whoever cannot be signed in gets a ProblemError 401
 * `signed-out` or 403 that says what to do next; any other error means that it cannot be known now.
 */
export interface SignIn {
  readonly mode: 'none' | 'tokens' | 'header' | 'oidc'
  /** Who asks for a session: `POST /session` by somebody who has none. */
  readonly signIn: (request: SignInRequest) => Promise<Identity>
  /**
   * Who they are now: `POST /session` by somebody who has one. A ProblemError 401 or 403 ends the
   * session; after any other error it goes on as it was. Another `subject` begins a new session.
   */
  readonly renew?: (before: Identity, request: SignInRequest) => Promise<Identity>
  /**
   * The session of an Authorization header that holds a credential of this mode's own, such as an
   * access token; undefined for every other header. Throws a ProblemError 401 or 403.
   */
  readonly verify?: (
    authorization: string | undefined,
    address: string | undefined,
  ) => Promise<VerifiedSession | undefined>
}

/**
 * Everybody who reaches the proxy is the one local user with every role: for a loopback address
 * only, which the configuration sees to.
 */
export const signInAsLocalUser: SignIn = {
  mode: 'none',
  signIn: () =>
    Promise.resolve(personOf({ name: 'local user', roles: ['viewer', 'releaser', 'admin'] })),
}

/** A person of whom nothing but the name and the roles is known. */
export function personOf(user: User): Identity {
  return { user, kind: 'person', subject: user.name, claims: {}, rule: '' }
}

/** What the handlers of the proxy share about one request (Hono's `Env`). */
export interface ProxyEnv {
  /** Node's own request and response; absent where a test calls the app without a socket. */
  Bindings: Partial<HttpBindings>
  Variables: {
    /** The pattern of the address, for logs and metrics: never what was typed. */
    route: string
    /** The network address that it comes from (trusted-proxies.ts); null where that is unknown. */
    from: string | null
    /** Whose request it is; set by `protect` before any handler that needs it. */
    session: VerifiedSession
  }
}
