import { pick, type Random } from './seeded-random.ts'

/**
 * A build id (docs/services.md#export-build-ids): 13 characters, 65 bits, so that chance makes no
 * two alike.
 */
export function createBuildId(random: Random): string {
  return characters(random, base32, 13)
}

/** How a build tool names one invocation, a workspace or a user: 26 characters, 130 bits. */
export function createScopeId(random: Random): string {
  return characters(random, base32, 26)
}

/** A Git commit id. */
export function createCommitId(random: Random): string {
  return characters(random, hexadecimal, 40)
}

/** The key of an entry of a build cache. */
export function createCacheKey(random: Random): string {
  return characters(random, hexadecimal, 32)
}

/**
 * The id of something within a build's events: a signed 64-bit integer, always beyond 2^53, so that
 * whoever reads it as a JavaScript number loses digits as with a real server.
 */
export function createEventId(random: Random): bigint {
  const high = 0x400000 + Math.floor(random() * (0x80000000 - 0x400000))
  const low = Math.floor(random() * 0x100000000)
  const magnitude = (BigInt(high) << 32n) | BigInt(low)
  return low % 2 === 0 ? magnitude : -magnitude
}

const base32 = Array.from('abcdefghijklmnopqrstuvwxyz234567')
const hexadecimal = Array.from('0123456789abcdef')

function characters(random: Random, alphabet: readonly string[], length: number): string {
  let text = ''
  while (text.length < length) text += pick(random, alphabet)
  return text
}
