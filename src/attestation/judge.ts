import type { Attempt } from './attempt.ts'
import type { Candidates } from './candidates.ts'
import type { EnvelopeSignature } from './envelope.ts'
import { remarksOn } from './remarks.ts'
import type { Hint, SignatureVerdict, Verdict } from './signature-verdict.ts'
import { describeKey, type TrustedKey } from './trusted-key.ts'

/** All that is known of a signature when it is judged. */
export interface Evidence {
  readonly signature: EnvelopeSignature
  readonly by: Candidates
  /** Of the keys it is said to be from, and of the others; the same where the first verified it. */
  readonly attempts: { readonly claimed: Attempt; readonly others: Attempt }
  readonly hints: readonly Hint[]
}

/**
 * The verdict on one signature. A mismatch needs a key that it could be from: one that is named, one
 * that a hint found, or, where nothing is named, any. With a key id that names no key that is here,
 * all that can be said is that the key is unknown.
 */
export function judge(evidence: Evidence): SignatureVerdict {
  const { signature, by, attempts, hints } = evidence
  const { index, keyid } = signature
  const outcome = attempts.others
  if (outcome.result === 'verified') {
    const { key, proof } = outcome
    const keyIdForm = by.formOf(key)
    const named = by.claimed.find((other) => by.formOf(other) !== 'none')
    const remarks = remarksOn(proof, key, keyIdForm, keyid === undefined ? undefined : named)
    const reason = `${describeKey(key)} verifies it: ${proof.algorithm}.`
    return { index, keyid, verdict: 'verified', reason, key, proof, keyIdForm, hints: remarks }
  }
  const { verdict, reason, key } = failure(evidence, hints.find(({ key: found }) => found)?.key)
  return { index, keyid, verdict, reason, key, proof: undefined, keyIdForm: by.formOf(key), hints }
}

/** The verdict where nothing could even be tried. */
export function unjudged({ index, keyid }: EnvelopeSignature, reason: string): SignatureVerdict {
  const keyIdForm = keyid === undefined ? 'absent' : 'none'
  const nothing = { key: undefined, proof: undefined, keyIdForm, hints: [] } as const
  return { index, keyid, verdict: 'unsupported', reason, ...nothing }
}

interface Failure {
  readonly verdict: Verdict
  readonly reason: string
  readonly key: TrustedKey | undefined
}

function failure({ signature, by, attempts }: Evidence, hinted: TrustedKey | undefined): Failure {
  const [claimed] = by.claimed
  const { mistake, sigText } = signature
  if (sigText === '') {
    return { verdict: 'mismatch', reason: mistake ?? 'There is no signature value.', key: claimed }
  }
  // With no key to refuse, it is the signature itself that is of an unsupported kind.
  if (attempts.claimed.result === 'unsupported') {
    return { verdict: 'unsupported', reason: attempts.claimed.reason, key: claimed }
  }
  const key = claimed ?? hinted
  if (key) {
    const reason = mistake ?? `${describeKey(key)} does not verify it: ${tampered}`
    return { verdict: 'mismatch', reason, key }
  }
  if (attempts.claimed.result === 'not-tried' || attempts.others.result === 'not-tried') {
    return { verdict: 'unsupported', reason: leftOver, key: undefined }
  }
  const rest = attempts.others
  if (by.isNamed || by.others.length === 0 || rest.result === 'other-key') {
    return { verdict: 'unknown-key', reason: unknownKey(by, rest, mistake), key: undefined }
  }
  if (rest.result === 'unsupported') {
    return { verdict: 'unsupported', reason: rest.reason, key: undefined }
  }
  const [only, ...more] = by.others
  const none = only && more.length === 0 ? describeKey(only) : `None of ${by.others.length} keys`
  const verb = more.length === 0 ? 'does not verify it' : 'verifies it'
  const reason = mistake ?? `${none} ${verb}: ${tampered}`
  return { verdict: 'mismatch', reason, key: more.length === 0 ? only : undefined }
}

const tampered = 'the payload, its type or the signature was changed, or another key made it.'
const leftOver = 'It was not judged: there are more signatures and keys than are tried in one go.'

function unknownKey(by: Candidates, rest: Attempt, mistake: string | undefined): string {
  const named = by.isNamed
    ? 'The key id names no key that is known here'
    : 'The signature names no key'
  const tried =
    by.others.length === 0
      ? 'there is no key to try'
      : `none of the keys that are known here (${by.others.length}) verifies it`
  const because = rest.result === 'other-key' ? ` ${rest.reason}` : ''
  return `${named}, and ${tried}.${because}${mistake === undefined ? '' : ` ${mistake}`}`
}
