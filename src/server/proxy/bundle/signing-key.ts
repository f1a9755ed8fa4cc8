import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { pae } from '../../../attestation/signatures/pae.ts'

/** The key with which Sightline signs what it says itself. */
export interface SigningKey {
  /** SHA-256 of the public key (DER), in hex. */
  readonly keyId: string
  readonly publicPem: string
  /** "ECDSA P-256" or "Ed25519". */
  readonly algorithm: string
  /** The signature of a DSSE envelope, base64; ECDSA as DER, with SHA-256. */
  readonly sign: (payloadType: string, payload: Uint8Array) => string
}

/** What the key is called among the trusted ones, and in a bundle. */
export const ownKeyName = 'sightline-signing-key'

/** Reads a private key as PEM (PKCS #8), ECDSA on P-256 or Ed25519; undefined for anything else. */
export function readSigningKey(pem: string): SigningKey | undefined {
  const key = privateKey(pem)
  const curve = key?.asymmetricKeyDetails?.namedCurve
  const algorithm =
    key?.asymmetricKeyType === 'ed25519'
      ? 'Ed25519'
      : key?.asymmetricKeyType === 'ec' && curve === 'prime256v1'
        ? 'ECDSA P-256'
        : undefined
  if (key === undefined || algorithm === undefined) return undefined
  const publicKey = createPublicKey(key)
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  return {
    keyId: createHash('sha256').update(spki).digest('hex'),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    algorithm,
    sign: (payloadType, payload) => {
      const hash = algorithm === 'Ed25519' ? null : 'sha256'
      return sign(hash, pae(payloadType, payload), key).toString('base64')
    },
  }
}

function privateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey({ key: pem, format: 'pem' })
  } catch {
    return undefined
  }
}
