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
