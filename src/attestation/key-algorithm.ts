import type { Curve } from './curves.ts'

/**
 * What a public key is good for. `unsupported` are the keys that can be read but with which no
 * browser verifies; `name` says which, such as "secp256k1" or "ML-DSA-65".
 */
export type KeyAlgorithm =
  | { readonly type: 'EC'; readonly curve: Curve }
  | { readonly type: 'Ed25519' }
  | {
      readonly type: 'RSA'
      readonly bits: number
      /** The key itself says that it is for PSS only (RFC 4055, 1.2). */
      readonly pssOnly: boolean
    }
  | { readonly type: 'unsupported'; readonly name: string }

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
