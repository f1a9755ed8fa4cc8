import { hexOf } from '../decode/bytes.ts'
import { derSequence, derUnsigned } from '../decode/der.ts'
import { type Curve, curves, type Hash, type KeyAlgorithm } from '../keys/key-algorithm.ts'

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
 * names: nothing, where that is no signature.
 */
export function schemesFor(algorithm: KeyAlgorithm, jwsAlgorithm?: string): readonly Scheme[] {
  const all = allSchemes(algorithm)
  return jwsAlgorithm === undefined
    ? all
    : all.filter((scheme) => jwsSchemes.get(jwsAlgorithm)?.(scheme))
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
      const { bits, pss: only } = algorithm
      if (only !== undefined) return pssSchemes(bits, only.hash, only.leastSalt)
      const pss = hashes.flatMap((hash) => pssSchemes(bits, hash))
      if (algorithm.pssOnly) return pss
      return [...pss, ...hashes.map((hash): Scheme => ({ name: 'RSASSA-PKCS1-v1_5', hash }))]
    }
    case 'unsupported':
      return []
  }
}

function pssSchemes(bits: number, hash: Hash, least?: number): Scheme[] {
  const own = hashBytes[hash]
  // RFC 8017, 9.1.1: what the hash and two bytes leave of the encoded message.
  const longest = Math.ceil((bits - 1) / 8) - own - 2
  const usual = [...(least === undefined ? [] : [least]), 32, own, longest]
  const lengths = new Set(usual.filter((length) => length >= (least ?? 0) && length <= longest))
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
  // RFC 8037, 3.1, and its newer name (RFC 9864, 2.2).
  ...['EdDSA', 'Ed25519'].map(
    (name) => [name, (scheme: Scheme) => scheme.name === 'Ed25519'] as const,
  ),
])

/** How r and s of an ECDSA signature were written: the DER of X9.62, or IEEE P1363's r||s. */
export type EcdsaForm = 'DER' | 'P1363'

/** An ECDSA signature as WebCrypto takes it: r||s, each as long as the order of the curve. */
export interface EcdsaSignature {
  readonly form: EcdsaForm
  readonly rs: Uint8Array<ArrayBuffer>
}

/**
 * What the bytes can mean on a curve: as DER, read strictly (nothing after it, no BER length, no
 * padded or negative integer), and as r||s of exactly the right length. Empty where r or s would be
 * 0 or not below the order of the curve.
 */
export function ecdsaSignatures(bytes: Uint8Array, curve: Curve): EcdsaSignature[] {
  const readings: EcdsaSignature[] = []
  // Two integers of 67 bytes make 141; reading on could take any time.
  if (bytes.length > 200) return readings
  const [r, s, ...more] = derSequence(bytes) ?? []
  if (r && s && more.length === 0) {
    const rs = joinRS(derUnsigned(bytes, r), derUnsigned(bytes, s), curve)
    if (rs) readings.push({ form: 'DER', rs })
  }
  const { size } = curves[curve]
  if (bytes.length === 2 * size) {
    const rs = joinRS(bytes.subarray(0, size), bytes.subarray(size), curve)
    if (rs) readings.push({ form: 'P1363', rs })
  }
  return readings
}

/** r||s of two magnitudes, or undefined where one is missing or out of its range. */
export function joinRS(
  r: Uint8Array | undefined,
  s: Uint8Array | undefined,
  curve: Curve,
): Uint8Array<ArrayBuffer> | undefined {
  const { size, order } = curves[curve]
  if (!r || !s || r.length > size || s.length > size) return undefined
  const rs = new Uint8Array(2 * size)
  rs.set(r, size - r.length)
  rs.set(s, 2 * size - s.length)
  const isInRange = [rs.subarray(0, size), rs.subarray(size)].every((half) => {
    // Hex of one length and case compares like the numbers.
    return half.some((byte) => byte !== 0) && hexOf(half) < order
  })
  return isInRange ? rs : undefined
}

/**
 * Whether the bytes can be an Ed25519 signature: 64 of them, the scalar S below the order of the
 * group. Without the second check the same signature could be written in more than one way
 * (RFC 8032, 5.1.7), and not every implementation makes it.
 */
export function isEd25519Signature(bytes: Uint8Array): boolean {
  if (bytes.length !== 64) return false
  let scalar = 0n
  for (const byte of bytes.subarray(32).toReversed()) scalar = (scalar << 8n) | BigInt(byte)
  return scalar < groupOrder
}

const groupOrder = (1n << 252n) + 27742317777372353535851937790883648493n
