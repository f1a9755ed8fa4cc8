import { type KeyAlgorithm, describeAlgorithm } from './key-algorithm.ts'
import { toBase64 } from '../decode/base64.ts'

/**
 * Where a key came from. The first three are trusted, `identity` being that of a certificate whose
 * signer is trusted and which was checked up to a trusted root; what an envelope brings along proves
 * only that the envelope fits its own key.
 */
export type KeyOrigin =
  | 'configuration'
  | 'device'
  | 'identity'
  | 'certificate in the bundle'
  | 'public key in the bundle'

/** A public key with its name. Plain data that may be posted between threads; holds no secret. */
export interface TrustedKey {
  readonly name: string
  readonly origin: KeyOrigin
  readonly algorithm: KeyAlgorithm
  /** DER of its SubjectPublicKeyInfo. */
  readonly spki: Uint8Array<ArrayBuffer>
  /** The certificate it was taken from: base64 DER. */
  readonly certificate?: string
  /** The one signature algorithm it is for, as a JWK says it (`alg`, RFC 7518, 3.1). */
  readonly jwsAlgorithm?: string
  /** Key ids that signers write for it and that no fingerprint explains, such as the path of a KMS. */
  readonly keyIds?: readonly string[]
}

/** Whether the key is trusted, rather than brought along by the envelope; no signature need be by it. */
export function isTrusted(key: TrustedKey): boolean {
  return key.origin === 'configuration' || key.origin === 'device' || key.origin === 'identity'
}

/** The key as PEM, in lines of 64 and with the final newline that some key ids are made over. */
export function pemOf(key: Pick<TrustedKey, 'spki'>): string {
  const lines = toBase64(key.spki).match(/.{1,64}/g) ?? []
  return ['-----BEGIN PUBLIC KEY-----', ...lines, '-----END PUBLIC KEY-----', ''].join('\n')
}

/** The key in words: `"release" (ECDSA P-256, from the configuration)`, or by what brought it along. */
export function describeKey(key: TrustedKey): string {
  const kind = describeAlgorithm(key.algorithm)
  switch (key.origin) {
    case 'configuration':
      return `"${key.name}" (${kind}, from the configuration)`
    case 'device':
      return `"${key.name}" (${kind}, trusted on this device)`
    case 'identity':
      return `"${key.name}" (${kind}, by its identity and issuer)`
    case 'certificate in the bundle':
      return `the key of the included certificate (${kind})`
    case 'public key in the bundle':
      return `the included public key (${kind})`
  }
}

/** The words as a sentence begins. */
export function sentenceOf(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
