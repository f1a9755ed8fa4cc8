import type { Attempt } from './attempt.ts'
import { sameBytes } from './bytes.ts'
import type { Candidates } from './candidates.ts'
import { couldHaveMade, isBrokenSignature } from './could-have-made.ts'
import type { EnvelopeSignature } from './envelope.ts'
import { remarksOn } from './remarks.ts'
import type { Hint, SignatureVerdict, Verdict } from './signature-verdict.ts'
import { describeKey, isTrusted, sentenceOf, type TrustedKey } from './trusted-key.ts'

/** All that is known of a signature when it is judged. */
export interface Evidence {
  readonly signature: EnvelopeSignature
  readonly by: Candidates
  /** Of the keys it is said to be from, and of the others; the same where the first verified it. */
  readonly attempts: { readonly claimed: Attempt; readonly others: Attempt }
  readonly hints: readonly Hint[]
}

/**
 * The verdict on one signature; `proven` are the keys that verify another of the same envelope. A
 * mismatch needs a key that it is from: one that is named, one that a hint found or, where nothing is
 * named, the only one here that could have made it by its shape and has not signed already. Else, and
 * with a key id that names no key that is here, all that can be said is that the key is unknown.
 */
export function judge(evidence: Evidence, proven: ReadonlySet<TrustedKey>): SignatureVerdict {
  const { signature, by, attempts, hints } = evidence
  const { index, keyid } = signature
  const outcome = attempts.others
  if (outcome.result === 'verified') {
    const { key, proof } = outcome
    const keyIdForm = by.formOf(key)
    const named = by.claimed.find((other) => by.formOf(other) !== 'none')
    const remarks = remarksOn(proof, key, keyIdForm, keyid === undefined ? undefined : named)
    const reason = `${sentenceOf(describeKey(key))} verifies it: ${proof.algorithm}.`
    return { index, keyid, verdict: 'verified', reason, key, proof, keyIdForm, hints: remarks }
  }
  const hinted = hints.find(({ key }) => key)?.key
  const { verdict, reason, key, isGuess = false } = failure(evidence, proven, hinted)
  const told = isGuess ? [...hints, notNamed] : hints
  const keyIdForm = by.formOf(key)
  return { index, keyid, verdict, reason, key, proof: undefined, keyIdForm, hints: told }
}

const notNamed: Hint = {
  code: 'key-not-named',
  message: 'Nothing says which key made it: it may be good, and by a key that is not here.',
  key: undefined,
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
  /** The key is only the likeliest: nothing names it. */
  readonly isGuess?: boolean
}

function failure(
  { signature, by, attempts }: Evidence,
  proven: ReadonlySet<TrustedKey>,
  hinted: TrustedKey | undefined,
): Failure {
  const [claimed] = by.claimed
  const { mistake, sig: bytes = new Uint8Array(), sigText } = signature
  if (sigText === '') {
    return { verdict: 'mismatch', reason: mistake ?? 'There is no signature value.', key: claimed }
  }
  // With no key to refuse, it is the signature itself that is of an unsupported kind.
  if (attempts.claimed.result === 'unsupported') {
    return { verdict: 'unsupported', reason: attempts.claimed.reason, key: claimed }
  }
  const key = claimed ?? hinted
  if (key) {
    const reason = mistake ?? `${sentenceOf(describeKey(key))} does not verify it: ${tampered}`
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
  if (mistake !== undefined) return { verdict: 'mismatch', reason: mistake, key: undefined }
  if (isBrokenSignature(bytes)) {
    return { verdict: 'mismatch', reason: broken, key: undefined }
  }
  // Whoever changes a payload can sign it anew: only a trusted key shows that nothing was changed.
  const isVouched = [...proven].some(isTrusted)
  const [only, ...more] = by.others.filter((one) => !proven.has(one) && couldHaveMade(one, bytes))
  if (only && more.every(({ spki }) => sameBytes(spki, only.spki))) {
    const reason = `It names no key. ${sentenceOf(describeKey(only))} is the only one here that could have made it, and does not verify it: ${isVouched ? damaged : tampered}`
    return { verdict: 'mismatch', reason, key: only, isGuess: true }
  }
  const why = isVouched ? intact : only ? either : otherKind
  const reason = `${unknownKey(by, rest, mistake)} ${why}`
  return { verdict: 'unknown-key', reason, key: undefined }
}

const broken = 'Its bytes are no signature of any kind, so no key can have made it as it is here.'
const intact =
  'Another signature of the envelope is verified by a trusted key, so what was signed is unchanged: another key made this one, or it is damaged.'
const damaged =
  'another key made it, or it is damaged, as a trusted key verifies another signature.'
const either = 'Another key made it, or something was changed after signing.'
const otherKind = 'None of them makes signatures of this kind, so another key made it.'
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
