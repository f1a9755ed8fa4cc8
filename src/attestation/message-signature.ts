import { decodeBase64 } from './base64.ts'
import type { Hash } from './schemes.ts'

/** A Sigstore MessageSignature: the signature, and the digest of the message it says it is over. */
export interface MessageSignature {
  readonly signature: Uint8Array
  readonly hash: Hash
  readonly digest: Uint8Array
}

/**
 * The Sigstore MessageSignature (`{"messageDigest": …, "signature": …}`) that some put where the bytes
 * of a signature belong (docs/attestations.md#signature-hints); undefined where the bytes are
 * no such JSON. Strict, and its digest is for the caller to compare, so that none of these bytes can be
 * changed without notice, though the inner signature covers none of them.
 */
export function messageSignature(bytes: Uint8Array): MessageSignature | undefined {
  // "{", and no signature of that kind is long.
  if (bytes[0] !== 0x7b || bytes.length > 100_000) return undefined
  const text = new TextDecoder().decode(bytes)
  const members = membersOf(parse(text), ['messageDigest', 'signature'])
  const digest = membersOf(members?.get('messageDigest'), ['algorithm', 'digest'])
  const hash = hashes.get(digest?.get('algorithm'))
  const value = canonical(digest?.get('digest'))
  const signature = canonical(members?.get('signature'))
  // No program writes it with tabs or escapes.
  if (!hash || !value || !signature || /[\t\r\\]/.test(text)) return undefined
  return { signature, hash, digest: value }
}

/** The names of Sigstore's protocol (`HashAlgorithm`). */
const hashes: ReadonlyMap<unknown, Hash> = new Map([
  ['SHA2_256', 'SHA-256'],
  ['SHA2_384', 'SHA-384'],
  ['SHA2_512', 'SHA-512'],
])

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Bytes that happen to begin with a brace.
    return undefined
  }
}

/** The members of an object that has these and no others. */
function membersOf(
  value: unknown,
  names: readonly string[],
): ReadonlyMap<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const members = new Map<string, unknown>(Object.entries(value))
  return members.size === names.length && names.every((name) => members.has(name))
    ? members
    : undefined
}

function canonical(value: unknown): Uint8Array | undefined {
  const decoded = typeof value === 'string' ? decodeBase64(value) : undefined
  return decoded?.ok === true && decoded.quirks.length === 0 ? decoded.bytes : undefined
}
