import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'
import { dayMs } from './clock.ts'
import { countOf } from './count.ts'

/** How the credential for one upstream stands, as far as the proxy knows; nothing in it is secret. */
export const CredentialState = z.object({
  kind: z.enum(['none', 'access-key', 'basic', 'bearer']),
  /** What the last response to it said. `unreachable`: none came, or only faults. `partly`: refused beside a live stream. */
  state: z.enum(['unchecked', 'valid', 'refused', 'unreachable', 'partly']),
  /** When that response came, or its request failed, epoch ms. */
  checkedAt: z.nullable(EpochMs),
  /** When the credential expires, epoch ms; null where neither it nor the server says so. */
  expiresAt: z.nullable(EpochMs),
  /** Whether `expiresAt` is only the latest possible time. */
  expiresEarlier: z.boolean(),
  /**
   * Permissions by configuration value: what the access tokens in use are limited to (null: all that
   * the key has), and what the server said is missing. Null where it said neither.
   */
  permissions: z.nullable(
    z.object({ granted: z.nullable(z.array(z.string())), missing: z.array(z.string()) }),
  ),
  /** What an operator should know besides, as a sentence; null for nothing. */
  notice: z.nullable(z.string()),
})
export type CredentialState = z.infer<typeof CredentialState>

const names = {
  none: 'credential',
  'access-key': 'access key',
  basic: 'user name and password',
  bearer: 'bearer token',
} as const satisfies Record<CredentialState['kind'], string>

/**
 * How a credential stands, in sentences: what it is, whether the server accepts it, and when it
 * expires, such as “The access key is valid. The access key expires in 6 days.”
 */
export function credentialText(credential: CredentialState, now: number): string {
  const { kind, state } = credential
  if (kind === 'none') return 'No credential is configured.'
  const [is, was] = kind === 'basic' ? ['are', 'were'] : ['is', 'was']
  const stands = {
    unchecked: `The ${names[kind]} ${is} not checked yet.`,
    valid: `The ${names[kind]} ${is} valid.`,
    refused: `The server rejects the ${names[kind]}.`,
    partly: `The server rejects the ${names[kind]} for some requests.`,
    unreachable: `The ${names[kind]} ${was} not checked: the server can't be reached.`,
  } satisfies Record<CredentialState['state'], string>
  return [stands[state], expiryText(credential, now), credential.notice]
    .filter((sentence) => sentence !== undefined && sentence !== null)
    .join(' ')
}

/** “The access key expires in 6 days.”; undefined where nobody knows when. */
export function expiryText(
  { kind, expiresAt, expiresEarlier }: CredentialState,
  now: number,
): string | undefined {
  if (expiresAt === null) return undefined
  const left = expiresAt - now
  if (left <= 0) return `The ${names[kind]} has expired.`
  const verb = kind === 'basic' ? 'expire' : 'expires'
  return `The ${names[kind]} ${verb} ${expiresEarlier ? 'within' : 'in'} ${durationText(left)}.`
}

function durationText(ms: number): string {
  if (ms >= 2 * dayMs) return countOf(Math.floor(ms / dayMs), 'day')
  const hours = Math.ceil(ms / 3_600_000)
  return hours > 1 ? countOf(hours, 'hour') : countOf(Math.max(1, Math.ceil(ms / 60_000)), 'minute')
}
