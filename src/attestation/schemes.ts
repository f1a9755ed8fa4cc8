import type { Curve } from './curves.ts'
import type { KeyAlgorithm } from './key-algorithm.ts'

export type Hash = 'SHA-256' | 'SHA-384' | 'SHA-512'

/** One way to sign with a key, with the names and parameters of WebCrypto. Lengths in bytes. */
export type Scheme =
  | { readonly name: 'ECDSA'; readonly curve: Curve; readonly hash: Hash }
  | { readonly name: 'Ed25519' }
  | { readonly name: 'RSASSA-PKCS1-v1_5'; readonly hash: Hash }
  | { readonly name: 'RSA-PSS'; readonly hash: Hash; readonly saltLength: number }

/**
 * The schemes to try with a key, likeliest first: DSSE names none. Hashes are tried whatever the
 * curve, PSS salts as 32 bytes, as the length of the hash and as the longest possible
 * (docs/attestations.md#signature-schemes). A `jwsAlgorithm` (RFC 7518, 3.1) leaves only what it
 * names.
 */
export function schemesFor(algorithm: KeyAlgorithm, jwsAlgorithm?: string): readonly Scheme[] {
  const all = allSchemes(algorithm)
  const named = jwsAlgorithm === undefined ? undefined : jwsSchemes.get(jwsAlgorithm)
  return named ? all.filter(named) : all
}

/** The scheme in words: "ECDSA P-384 with SHA-256", "RSA-PSS with SHA-256 and a salt of 32 bytes". */
export function describeScheme(scheme: Scheme): string {
  switch (scheme.name) {
    case 'ECDSA':
      return `ECDSA ${scheme.curve} with ${scheme.hash}`
    case 'Ed25519':
      return 'Ed25519'
    case 'RSASSA-PKCS1-v1_5':
      return `RSA PKCS#1 v1.5 with ${scheme.hash}`
    case 'RSA-PSS':
      return `RSA-PSS with ${scheme.hash} and a salt of ${scheme.saltLength} bytes`
  }
}

/** The hash that belongs to a curve; a shorter one makes signatures weaker than the key. */
export const hashOfCurve: Readonly<Record<Curve, Hash>> = {
  'P-256': 'SHA-256',
  'P-384': 'SHA-384',
  'P-521': 'SHA-512',
}

const hashes: readonly Hash[] = ['SHA-256', 'SHA-512', 'SHA-384']
const hashBytes: Readonly<Record<Hash, number>> = { 'SHA-256': 32, 'SHA-384': 48, 'SHA-512': 64 }

function allSchemes(algorithm: KeyAlgorithm): readonly Scheme[] {
  switch (algorithm.type) {
    case 'EC': {
      const { curve } = algorithm
      const first = hashOfCurve[curve]
      const ordered = [first, ...hashes.filter((hash) => hash !== first)]
      return ordered.map((hash) => ({ name: 'ECDSA', curve, hash }))
    }
    case 'Ed25519':
      return [{ name: 'Ed25519' }]
    case 'RSA': {
      const pss = hashes.flatMap((hash) => pssSchemes(algorithm.bits, hash))
      if (algorithm.pssOnly) return pss
      return [...pss, ...hashes.map((hash): Scheme => ({ name: 'RSASSA-PKCS1-v1_5', hash }))]
    }
    case 'unsupported':
      return []
  }
}

function pssSchemes(bits: number, hash: Hash): Scheme[] {
  const own = hashBytes[hash]
  // RFC 8017, 9.1.1: what the hash and two bytes leave of the encoded message.
  const longest = Math.ceil((bits - 1) / 8) - own - 2
  const lengths = new Set([32, own, longest].filter((length) => length >= 0 && length <= longest))
  return [...lengths].map((saltLength) => ({ name: 'RSA-PSS', hash, saltLength }))
}

const jwsSchemes: ReadonlyMap<string, (scheme: Scheme) => boolean> = new Map([
  ...(['256', '384', '512'] as const).flatMap((bits) => {
    const hash: Hash = `SHA-${bits}`
    const fits = (name: Scheme['name']) => (scheme: Scheme) =>
      scheme.name === name && 'hash' in scheme && scheme.hash === hash
    const pss = (scheme: Scheme) =>
      scheme.name === 'RSA-PSS' && scheme.hash === hash && scheme.saltLength === hashBytes[hash]
    const rows: [string, (scheme: Scheme) => boolean][] = [
      [`ES${bits}`, fits('ECDSA')],
      [`RS${bits}`, fits('RSASSA-PKCS1-v1_5')],
      [`PS${bits}`, pss],
    ]
    return rows
  }),
])
