import * as z from 'zod/mini'
import { accessTokenPath, type AccessTokenRequest } from './build-data.ts'
import { EpochMs } from './build-message.ts'

/** Where access tokens of the build server are created (docs/design.md#tokens). */
export const createTokenPath = `/upstream/build-data${accessTokenPath()}`

/** The address that creates a token with these limits. */
export function createTokenAddress(request: AccessTokenRequest): string {
  return `/upstream/build-data${accessTokenPath(request)}`
}

/** The response to `POST /upstream/build-data/api/auth/token`: the only time that the token is seen. */
export const CreatedToken = z.looseObject({
  token: z.string().check(z.minLength(1)),
  /** Epoch ms; null where the token does not say. */
  expiresAt: z.nullable(EpochMs),
})
export type CreatedToken = z.infer<typeof CreatedToken>

/** Why the build server refuses a token (403), as members of the problem. */
export const TokenRefusal = z.looseObject({
  reason: z.enum(['permission', 'project', 'lifetime', 'unknown']),
  /** The permissions or projects that are too much. */
  names: z.array(z.string()),
})
export type TokenRefusal = z.infer<typeof TokenRefusal>
