import * as z from 'zod/mini'
import { accessTokenPath, type AccessTokenRequest } from './build-data.ts'
import { EpochMs } from './build-message.ts'
import { Role } from './session.ts'

/** What an access token of Sightline looks like: `slt_` and 256 random bits as base64url. */
export const accessTokenPattern = /^slt_[\w-]{43}$/

/** What of a token may be shown, so that people know which one is meant: 36 of its 256 bits. */
export function accessTokenPrefix(token: string): string {
  return token.slice(0, 10)
}

/** The longest that a token may be valid, days: a year, and a day for leap years and time zones. */
export const longestTokenDays = 366

/** Where administrators see whose access tokens there are, and when each was last used. */
export const accessTokensPath = '/session/tokens'

/** The answer of `GET /session/tokens`: times are epoch ms, and no token or hash is in it. */
export const AccessTokenList = z.looseObject({
  tokens: z.array(
    z.looseObject({
      /** Whose it is. */
      name: z.string(),
      roles: z.array(Role),
      prefix: z.string(),
      createdAt: EpochMs,
      expiresAt: EpochMs,
      /** To within a minute; null where it never was. */
      lastUsedAt: z.nullable(EpochMs),
    }),
  ),
})
export type AccessTokenList = z.infer<typeof AccessTokenList>

/** Where access tokens of the build server are created (docs/design.md#tokens). */
export const createTokenPath = `/upstream/build-data${accessTokenPath()}`

/** How many permissions, and how many projects, a token is created with at most. */
export const mostTokenNames = 50

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
