import { randomBytes } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import type { Clock } from '../../protocol/clock.ts'
import type { Caller } from './credentials.ts'
import { isPermission } from './permissions.ts'

/** Makes and reads short-lived access tokens (docs/services.md#access-tokens). */
export interface AccessTokens {
  /** A signed token with what `caller` allows, until its `expiresAt`. */
  readonly sign: (caller: Caller & { readonly expiresAt: number }) => Promise<string>
  /** Whose token it is; undefined where it is not one of ours or has expired. */
  readonly verify: (token: string) => Promise<Caller | undefined>
}

const issuer = 'embedded'
const algorithm = 'HS256'

const Claims = z.object({
  username: z.string(),
  permissions: z.array(z.string()),
  projects: z.record(z.string(), z.number()),
  exp: z.number(),
})

/** Tokens are valid for the instance that made them alone: the key is new each time. */
export function createAccessTokens(clock: Clock): AccessTokens {
  const key = randomBytes(32)
  return {
    sign: ({ user, permissions, projects, expiresAt }) =>
      new SignJWT({
        username: user,
        permissions: [...permissions],
        projects: Object.fromEntries([...projects].map((id, index) => [id, index + 1])),
        token_type: 'access_token',
      })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
        .setSubject(user)
        .setIssuer(issuer)
        .setAudience(issuer)
        .setIssuedAt(Math.floor(clock.now() / 1000))
        .setExpirationTime(Math.floor(expiresAt / 1000))
        .sign(key),
    verify: async (token) => {
      const claims = await jwtVerify(token, key, {
        algorithms: [algorithm],
        issuer,
        audience: issuer,
        currentDate: new Date(clock.now()),
      }).then(
        ({ payload }) => Claims.safeParse(payload).data,
        () => undefined,
      )
      return claims === undefined
        ? undefined
        : {
            user: claims.username,
            permissions: new Set(claims.permissions.filter(isPermission)),
            projects: new Set(Object.keys(claims.projects)),
            expiresAt: claims.exp * 1000,
          }
    },
  }
}
