import { createHash, randomBytes } from 'node:crypto'
import { accessTokenPrefix, longestTokenDays } from '../protocol/access-token.ts'
import type { Host } from './report-file.ts'

/** A new access token of Sightline: whose it is, and for how long. */
export interface TokenCommand {
  readonly name: string
  readonly role: TokenRole
  /** How long it is valid, ms. */
  readonly lifetimeMs: number
}

export const tokenRoles = ['viewer', 'releaser', 'admin'] as const
export type TokenRole = (typeof tokenRoles)[number]

export const longestTokenMs = longestTokenDays * 24 * 60 * 60 * 1000

/**
 * Makes a token of 256 random bits: the token alone goes to standard output, and the lines for the
 * configuration file, which have only its SHA-256 hash, to standard error. Nothing is stored.
 */
export function createToken(
  { name, role, lifetimeMs }: TokenCommand,
  { print, log, clock }: Pick<Host, 'print' | 'log' | 'clock'>,
): void {
  const token = `slt_${randomBytes(32).toString('base64url')}`
  const now = clock.now()
  print(`${token}\n`)
  for (const line of [
    "This is the only time the token is shown. Add its user to Sightline's configuration file and restart Sightline:",
    '',
    'users:',
    `  - name: ${JSON.stringify(name)}`,
    `    role: ${role}`,
    '    tokens:',
    `      - sha256: ${createHash('sha256').update(token).digest('hex')}`,
    `        prefix: ${accessTokenPrefix(token)}`,
    `        created: ${isoSecond(now)}`,
    `        expires: ${isoSecond(now + lifetimeMs)}`,
  ]) {
    log(line)
  }
}

/** `2026-03-01T09:14:05Z` */
function isoSecond(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}
