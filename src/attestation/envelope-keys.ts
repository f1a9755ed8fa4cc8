import type { Envelope, EnvelopeSignature } from './envelope.ts'
import { readKeys } from './read-keys.ts'
import type { TrustedKey } from './trusted-key.ts'

/**
 * The certificate that an envelope brings for a signature, as written: the one beside the signature,
 * or else the leaf of the bundle.
 */
export function certificateFor(
  envelope: Envelope,
  { certificate }: EnvelopeSignature,
): string | undefined {
  return certificate ?? envelope.certificates[0]
}

/** The key of a certificate. It proves who signed only to those who trust the certificate. */
export function keyOfCertificate(certificate: string): TrustedKey | undefined {
  const options = { name: 'certificate', origin: 'certificate in the bundle' } as const
  return readKeys(certificate, options).keys[0]
}

/** The bare public key that a bundle brings along, of which nobody says whose it is. */
export function publicKeyOfBundle({ publicKey }: Envelope): TrustedKey | undefined {
  const options = { name: 'public key', origin: 'public key in the bundle' } as const
  return publicKey === undefined ? undefined : readKeys(publicKey, options).keys[0]
}
