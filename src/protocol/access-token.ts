import * as z from 'zod/mini'
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
