import { hashOfCurve } from './schemes.ts'
import type { Hint, KeyIdForm, Proof } from './signature-verdict.ts'
import { describeKey, sentenceOf, type TrustedKey } from './trusted-key.ts'

/** What is odd about a signature that is verified (docs/attestations.md#variants, 19 and 42). */
export function remarksOn(
  proof: Proof,
  key: TrustedKey,
  keyIdForm: KeyIdForm,
  named: TrustedKey | undefined,
): readonly Hint[] {
  const remarks: Hint[] = []
  if (keyIdForm === 'none') {
    const code = named ? 'keyid-names-another-key' : 'keyid-mismatch'
    const names = named
      ? `names the key ${describeKey(named)}`
      : 'is no known form of a name for it'
    const message = `${sentenceOf(describeKey(key))} verifies it, but the key id ${names}.`
    remarks.push({ code, message, key: named })
  }
  const { scheme } = proof
  if (scheme.name === 'ECDSA' && scheme.hash < hashOfCurve[scheme.curve]) {
    const message = `${scheme.hash} is weaker than ${scheme.curve}, for which ${hashOfCurve[scheme.curve]} is meant.`
    remarks.push({ code: 'weak-hash', message, key })
  }
  return remarks
}
