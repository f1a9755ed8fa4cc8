import { createHash, randomUUID } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import type { Clock } from '../../../protocol/clock.ts'
import { type ProblemError, problemError } from '../../../protocol/problem.ts'
import { SessionUser } from '../../../protocol/session.ts'

const issuer = 'sightline'
const algorithm = 'HS256'
const mostChecked = 1000

const Claims = z.object({
  jti: z.string().min(1),
  user: SessionUser,
  kind: z.enum(['person', 'token']),
  person: z.string().optional(),
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
  // A token comes with every request, of which checking its signature was a sixth of the work.
  const checked = new Map<string, Claims>()
  const check = async (token: string): Promise<Claims> => {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [algorithm],
      issuer,
      audience: issuer,
      currentDate: new Date(clock.now()),
    })
    const claims = Claims.parse(payload)
    const [oldest] = checked.keys()
    if (checked.size >= mostChecked && oldest !== undefined) checked.delete(oldest)
    checked.set(token, claims)
    return claims
  }
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
      const token = /^Bearer +([\w.-]{1,8192})$/i.exec(authorization ?? '')?.[1]
      if (token === undefined) throw noSession('The request has no session')
      const ended = 'The session has ended or is unknown'
      const known = checked.get(token)
      if (known !== undefined) {
        if (known.exp * 1000 > clock.now()) return known
        checked.delete(token)
        throw noSession(ended)
      }
      try {
        return await check(token)
      } catch {
        throw noSession(ended)
      }
    },
  }
}

/** A ProblemError 401 of a request that needs a session and has none that is good. */
export function noSession(what: string): ProblemError {
  const next =
    'In a browser, reload the page. In a script, send a valid token (Authorization: Bearer).'
  return problemError(401, 'no-session', 'No session', `${what}. ${next}`)
}
