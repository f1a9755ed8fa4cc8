import { createHash, randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import type { Clock } from '../../protocol/clock.ts'
import type { ProblemError } from '../../protocol/problem.ts'
import { problemError } from '../../protocol/problem.ts'
import { type Session, SessionUser } from '../../protocol/session.ts'

/** A session whose token was checked. */
export interface VerifiedSession {
  readonly id: string
  readonly user: User
  /** Epoch ms. */
  readonly expiresAt: number
  /** Whether it ended before that; looked at again and again while a stream of it is open. */
  readonly isOver?: () => boolean
}

/** Gives out sessions and recognises them; nothing is stored. */
export interface Sessions {
  readonly create: (user: User) => Promise<Session>
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
    create: async (user) => {
      const now = Math.floor(clock.now() / 1000)
      const expiresAt = (now + lifetimeMs / 1000) * 1000
      const token = await new SignJWT({ user })
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
        expiresAt: claims.exp * 1000,
      }
    },
  }
}

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
}

/** A way of finding out who asks for a session. */
export interface SignIn {
  readonly mode: 'none' | 'tokens' | 'header' | 'oidc'
  /** Who asks for a session. Throws a ProblemError 401 or 403 that tells what to do. */
  readonly signIn: (request: SignInRequest) => Promise<User>
}

/**
 * Everybody who reaches the proxy is the one local user with every role: for a loopback address
 * only, which the configuration sees to.
 */
export const signInAsLocalUser: SignIn = {
  mode: 'none',
  signIn: () => Promise.resolve({ name: 'local user', roles: ['viewer', 'releaser', 'admin'] }),
}

/** What the handlers of the proxy share about one request (Hono's `Env`). */
export interface ProxyEnv {
  /** Node's own request and response; absent where a test calls the app without a socket. */
  Bindings: Partial<HttpBindings>
  Variables: {
    /** The pattern of the address, for logs and metrics: never what was typed. */
    route: string
    /** Whose request it is; set by `protect` before any handler that needs it. */
    session: VerifiedSession
  }
}
