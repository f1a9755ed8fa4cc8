import { derTag } from '../../../attestation/der.ts'
import { derElement, derInteger } from '../../../attestation/der-write.ts'
import type { SignatureVerdict } from '../../../attestation/signature-verdict.ts'

/** The bytes of a signature as openssl reads them: r||s of ECDSA becomes the DER of both. */
export function opensslSignature(sig: Uint8Array, proof: SignatureVerdict['proof']): Uint8Array {
  if (proof?.form !== 'P1363' || proof.isWrapped) return sig
  const half = sig.length / 2
  const [r, s] = [derInteger(sig.subarray(0, half)), derInteger(sig.subarray(half))]
  return derElement(derTag.sequence, r, s)
}
