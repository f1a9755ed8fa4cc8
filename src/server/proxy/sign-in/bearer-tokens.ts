import { createHash, randomUUID } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import type { Clock } from '../../../protocol/clock.ts'
import { type ProblemError, problemError } from '../../../protocol/problem.ts'
import { SessionUser } from '../../../protocol/session.ts'

const issuer = 'sightline'
const algorithm = 'HS256'

const Claims = z.object({
  jti: z.string().min(1),
  user: SessionUser,
  kind: z.enum(['person', 'token']),
  exp: z.number(),
  sid: z.string().optional(),
  generation: z.number().optional(),
  /** When the session ends at the latest, epoch ms. */
  until: z.number().optional(),
})
type Claims = z.infer<typeof Claims>

/** Signs the tokens that browsers send with every request, and recognises them; nothing is stored. */
export interface BearerTokens {
  /** A token that ends at `expiresAt`, epoch ms, rounded down to a second. */
  readonly sign: (claims: Omit<Claims, 'jti' | 'exp'>, expiresAt: number) => Promise<string>
  /**
   * What the token of an Authorization header says. Throws a ProblemError 401 with a plain sentence
   * when the header is missing, is no bearer token, or the token is forged or expired.
   */
  readonly verify: (authorization: string | undefined) => Promise<Claims>
}

/**
 * JWT, HS256: every proxy with the same secret recognises them, and they end when the secret
 * changes. The signature is compared in constant time (jose).
 */
export function createBearerTokens({
  secret,
  clock,
}: {
  readonly secret: string
  readonly clock: Clock
}): BearerTokens {
  // A key of full length, however long the secret is.
  const key = createHash('sha256').update(secret).digest()
  return {
    sign: (claims, expiresAt) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(issuer)
        .setJti(randomUUID())
        .setIssuedAt(Math.floor(clock.now() / 1000))
        .setExpirationTime(Math.floor(expiresAt / 1000))
        .sign(key),
    verify: async (authorization) => {
      const token = /^Bearer ([\w.-]{1,8192})$/i.exec(authorization ?? '')?.[1]
      if (token === undefined) throw noSession('The request has no session')
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [algorithm],
          issuer,
          audience: issuer,
          currentDate: new Date(clock.now()),
        })
        return Claims.parse(payload)
      } catch {
        throw noSession('The session has ended or is unknown')
      }
    },
  }
}

/** A ProblemError 401 of a request that needs a session and has none that is good. */
export function noSession(what: string): ProblemError {
  return problemError(401, 'no-session', 'No session', `${what}. Reload the page to get a new one.`)
}
