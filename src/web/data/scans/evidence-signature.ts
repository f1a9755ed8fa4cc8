import { type SignatureVerdict, threshold } from '../../../attestation/signatures/signature-verdict.ts'

/** What the signatures of an attestation come to, as shortly as it can be said. */
export type EvidenceSignature =
  /** Trusted keys verify it; their names. */
  | { readonly is: 'valid'; readonly by: readonly string[] }
  /** It may be good, but by nobody who is trusted here. */
  | { readonly is: 'unknown-key' }
  /** The key that is said to have made it does not verify it: it is not what was signed. */
  | { readonly is: 'not-valid' }
  | { readonly is: 'unsigned' }
  /** It is no attestation, or its signatures cannot be judged here; a sentence. */
  | { readonly is: 'not-checked'; readonly reason: string }

/** Sums up the verdicts of one envelope; one trusted key that verifies it is enough. */
export function evidenceSignature(verdicts: readonly SignatureVerdict[]): EvidenceSignature {
  const { keys } = threshold(verdicts)
  if (keys.length > 0) return { is: 'valid', by: keys.map(({ name }) => name) }
  if (verdicts.length === 0) return { is: 'unsigned' }
  if (verdicts.some(isRefuted)) return { is: 'not-valid' }
  const unjudged = verdicts.find(({ verdict }) => verdict === 'unsupported')
  const isUnknown = verdicts.some(({ verdict }) => verdict !== 'unsupported')
  return isUnknown || unjudged === undefined
    ? { is: 'unknown-key' }
    : { is: 'not-checked', reason: unjudged.reason }
}

/** Where nothing names the key that was tried, the signature may simply be by another. */
function isRefuted({ verdict, hints }: SignatureVerdict): boolean {
  return verdict === 'mismatch' && hints.every(({ code }) => code !== 'key-not-named')
}
