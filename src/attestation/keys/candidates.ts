import type { Envelope, EnvelopeSignature } from '../decode/envelope.ts'
import type { KeyIdForm } from '../signatures/signature-verdict.ts'
import { type Fingerprint, fingerprints, matchingFingerprint } from './fingerprints.ts'
import { isIdentityKeyId } from './identity.ts'
import { keyIdentity } from './public-key.ts'
import { readKeys } from './read-keys.ts'
import type { TrustedKey } from './trusted-key.ts'

export interface Candidates {
  /** Those it is said to be from: named by its key id, or brought along by the envelope. */
  readonly claimed: readonly TrustedKey[]
  /** The rest of the trusted keys. A key id is only a hint, so they are tried too. */
  readonly others: readonly TrustedKey[]
  /** Whether anything names a key, here or not. */
  readonly isNamed: boolean
  readonly formOf: (key: TrustedKey | undefined) => KeyIdForm
}

/** Prepares the question which keys may have made a signature; fingerprints only where there is a key id. */
export async function prepareCandidates(
  envelope: Envelope,
  trusted: readonly TrustedKey[],
  subtle: SubtleCrypto,
): Promise<(signature: EnvelopeSignature) => Candidates> {
  /** The person who trusts a key has said more about it than the envelope can. */
  const known = (key: TrustedKey | undefined): TrustedKey | undefined =>
    key && (trusted.find((one) => keyIdentity(one) === keyIdentity(key)) ?? key)

  const ofBundle = known(publicKeyOfBundle(envelope))
  const ofCertificate = new Map<string, TrustedKey | undefined>()
  /** The keys that the envelope brings along for a signature: each certificate is read once. */
  const brought = (signature: EnvelopeSignature): TrustedKey[] => {
    const certificate = certificateFor(envelope, signature)
    if (certificate !== undefined && !ofCertificate.has(certificate)) {
      ofCertificate.set(certificate, known(keyOfCertificate(certificate)))
    }
    const own = certificate === undefined ? undefined : ofCertificate.get(certificate)
    return [own, ofBundle].filter((key) => key !== undefined)
  }
  const isNamed = ({ keyid }: EnvelopeSignature): boolean => keyIdOf(envelope, keyid) !== undefined
  const prints = new Map<TrustedKey, readonly Fingerprint[]>()
  if (envelope.signatures.some(isNamed)) {
    for (const key of new Set([...trusted, ...envelope.signatures.flatMap(brought)])) {
      prints.set(key, await fingerprints(key, subtle))
    }
  }

  return (signature) => {
    const keyid = keyIdOf(envelope, signature.keyid)
    const own = brought(signature)
    const certificate = certificateFor(envelope, signature) ?? ''
    const formOf = (key: TrustedKey | undefined): KeyIdForm => {
      if (keyid === undefined) return 'absent'
      if (key === undefined) return 'none'
      if (key.name === keyid) return 'name'
      if (key.keyIds?.includes(keyid)) return 'listed'
      if (key === own[0] && isIdentityKeyId(keyid, certificate)) return 'identity'
      return matchingFingerprint(keyid, prints.get(key) ?? [])?.form ?? 'none'
    }
    const named = keyid === undefined ? [] : trusted.filter((key) => formOf(key) !== 'none')
    const claimed = new Set([...named, ...own])
    return {
      claimed: [...claimed],
      others: trusted.filter((key) => !claimed.has(key)),
      isNamed: keyid !== undefined,
      formOf,
    }
  }
}

/** A bundle may name its key beside the envelope instead of in the signature. */
function keyIdOf(envelope: Envelope, keyid: string | undefined): string | undefined {
  return keyid ?? envelope.publicKeyHint
}

/**
 * The certificate that an envelope brings for a signature, as written: the leaf of the bundle, which is
 * the one that is checked up to a trusted root, or else the one beside the signature.
 */
export function certificateFor(
  envelope: Envelope,
  { certificate }: EnvelopeSignature,
): string | undefined {
  return envelope.certificates[0] ?? certificate
}

/** The key of a certificate. It proves who signed only to those who trust the certificate. */
export function keyOfCertificate(certificate: string): TrustedKey | undefined {
  const options = { name: 'certificate', origin: 'certificate in the bundle' } as const
  return readKeys(certificate, options).keys[0]
}

/** The bare public key that a bundle brings along, whose owner is unknown. */
function publicKeyOfBundle({ publicKey }: Envelope): TrustedKey | undefined {
  const options = { name: 'public key', origin: 'public key in the bundle' } as const
  return publicKey === undefined ? undefined : readKeys(publicKey, options).keys[0]
}
