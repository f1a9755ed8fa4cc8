import { hexOf } from '../decode/bytes.ts'
import { dottedOid } from '../decode/der.ts'

/** What a public key is good for; with `unsupported` ones no browser verifies: "secp256k1", "ML-DSA-65". */
export type KeyAlgorithm =
  | { readonly type: 'EC'; readonly curve: Curve }
  | { readonly type: 'Ed25519' }
  | {
      readonly type: 'RSA'
      readonly bits: number
      /** The key itself says that it is for PSS only (RFC 4055, 1.2). */
      readonly pssOnly: boolean
      /** The hash and the least salt (bytes) that the key itself allows (RFC 4055, 3.1). */
      readonly pss?: { readonly hash: Hash; readonly leastSalt: number }
    }
  | { readonly type: 'unsupported'; readonly name: string }

/** The hashes that WebCrypto verifies signatures with. */
export type Hash = 'SHA-256' | 'SHA-384' | 'SHA-512'

/** The algorithm in words: "ECDSA P-256", "Ed25519", "RSA-2048". */
export function describeAlgorithm(algorithm: KeyAlgorithm): string {
  switch (algorithm.type) {
    case 'EC':
      return `ECDSA ${algorithm.curve}`
    case 'Ed25519':
      return 'Ed25519'
    case 'RSA':
      return `RSA-${algorithm.bits}`
    case 'unsupported':
      return algorithm.name
  }
}

/** The curves on which WebCrypto verifies, by the names it gives them. */
export type Curve = 'P-256' | 'P-384' | 'P-521'

interface CurveFacts {
  /** Bytes of a coordinate, and of r and of s. */
  readonly size: number
  /** The order of the group, big-endian in hex, `size` bytes long. */
  readonly order: string
  /** The prime of the field and the b of y² = x³ - 3x + b (FIPS 186-4, D.1.2). */
  readonly prime: bigint
  readonly b: bigint
  /** The content of its object identifier in hex (RFC 5480, 2.1.1.1). */
  readonly oid: string
  /** RFC 5656, 10.1. */
  readonly sshName: string
}

export const curves: Readonly<Record<Curve, CurveFacts>> = {
  'P-256': {
    size: 32,
    order: 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551',
    prime: 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
    oid: '2a8648ce3d030107',
    sshName: 'nistp256',
  },
  'P-384': {
    size: 48,
    order:
      'ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973',
    prime:
      0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffffn,
    b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
    oid: '2b81040022',
    sshName: 'nistp384',
  },
  'P-521': {
    size: 66,
    order:
      '01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409',
    prime: (1n << 521n) - 1n,
    b: 0x0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
    oid: '2b81040023',
    sshName: 'nistp521',
  },
}

/** The curves in the order of their size. */
export const curveNames: readonly Curve[] = ['P-256', 'P-384', 'P-521']

/** Contents of object identifiers in hex: RFC 3279, 4055, 5480, 8410, 9881. */
export const keyOid = {
  ec: '2a8648ce3d0201',
  ed25519: '2b6570',
  rsa: '2a864886f70d010101',
  rsaPss: '2a864886f70d01010a',
} as const

/** What is known by name though nothing here verifies with it. */
const unsupported: Readonly<Record<string, string>> = {
  '2b6571': 'Ed448',
  '2b656e': 'X25519 (for key agreement, not for signing)',
  '2b656f': 'X448 (for key agreement, not for signing)',
  '2a8648ce380401': 'DSA',
  '2a864886f70d010301': 'Diffie-Hellman (not for signing)',
  '608648016503040311': 'ML-DSA-44',
  '608648016503040312': 'ML-DSA-65',
  '608648016503040313': 'ML-DSA-87',
  '2b8104000a': 'secp256k1',
  '2b81040021': 'P-224',
  '2a8648ce3d030101': 'P-192',
  '2b2403030208010107': 'brainpoolP256r1',
  '2b240303020801010b': 'brainpoolP384r1',
  '2b240303020801010d': 'brainpoolP512r1',
  '2a811ccf5501822d': 'SM2',
}

/** The curve of an object identifier's content, if it is one that WebCrypto knows. */
export function curveOfOid(content: Uint8Array): (typeof curveNames)[number] | undefined {
  const hex = hexOf(content)
  return curveNames.find((name) => curves[name].oid === hex)
}

/** The name of an algorithm or curve that is not supported, or its identifier in dots. */
export function unsupportedName(content: Uint8Array): string {
  return unsupported[hexOf(content)] ?? `the algorithm ${dottedOid(content)}`
}
