/**
 * DSSE envelopes, Sigstore bundles and in-toto statements out of any text that holds them, and what their signatures are
 * worth. Pure: no network, no clock; WebCrypto is the platform's.
 */
export {
  decode,
  type Decoded,
  type DecodedFailure,
  type DecodedSuccess,
} from '../../src/attestation/decode.ts'
export type { Envelope, EnvelopeSignature } from '../../src/attestation/decode/envelope.ts'
export { readKeys, type ReadKeys } from '../../src/attestation/keys/read-keys.ts'
export { isTrusted, type TrustedKey } from '../../src/attestation/keys/trusted-key.ts'
export {
  type SignatureVerdict,
  type Threshold,
  threshold,
  type Verdict,
} from '../../src/attestation/signatures/signature-verdict.ts'
export { verify, type VerifyOptions } from '../../src/attestation/verify.ts'
