import { sameBytes } from '../decode/bytes.ts'
import { derTag } from '../decode/der.ts'
import type { EnvelopeSignature } from '../decode/envelope.ts'
import type { Candidates } from '../keys/candidates.ts'
import { curveNames } from '../keys/key-algorithm.ts'
import { keyIdentity } from '../keys/public-key.ts'
import { sshWireOf } from '../keys/ssh-key.ts'
import { describeKey, isTrusted, sentenceOf, type TrustedKey } from '../keys/trusted-key.ts'
import { type Attempt, messageSignature } from './attempt.ts'
import { type EcdsaForm, ecdsaSignatures, hashOfCurve, isEd25519Signature } from './schemes.ts'
import type { Hint, KeyIdForm, Proof, SignatureVerdict, Verdict } from './signature-verdict.ts'
import { readSshSig } from './sshsig.ts'

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
 * named, the only one here that could have made it by its shape and has not signed already. Else all
 * that can be said is that no trusted key verifies it.
 */
export function judge(evidence: Evidence, proven: ReadonlySet<TrustedKey>): SignatureVerdict {
  const { signature, by, attempts, hints } = evidence
  const { index, keyid } = signature
  const triedKeys = [...by.claimed, ...by.others].filter(isTrusted).length
  const outcome = attempts.others
  if (outcome.result === 'verified') {
    const { key, proof } = outcome
    const keyIdForm = by.formOf(key)
    const named = by.claimed.find((other) => by.formOf(other) !== 'none')
    const remarks = remarksOn(proof, key, keyIdForm, keyid === undefined ? undefined : named)
    const reason = `${sentenceOf(describeKey(key))} verifies it: ${proof.algorithm}.`
    const verdict = 'verified'
    return { index, keyid, verdict, reason, key, proof, keyIdForm, triedKeys, hints: remarks }
  }
  const { verdict, reason, key, isGuess = false } = failure(evidence, proven)
  const allHints = isGuess ? [...hints, notNamed] : hints
  const keyIdForm = by.formOf(key)
  const proof = undefined
  return { index, keyid, verdict, reason, key, proof, keyIdForm, triedKeys, hints: allHints }
}

const notNamed: Hint = {
  code: 'key-not-named',
  message: "It doesn't say which key made it, so it may be valid with a key that isn't known here.",
  key: undefined,
}

/** The verdict where nothing could even be tried. */
export function unjudged({ index, keyid }: EnvelopeSignature, reason: string): SignatureVerdict {
  const keyIdForm = keyid === undefined ? 'absent' : 'none'
  const nothing = { key: undefined, proof: undefined, keyIdForm, triedKeys: 0, hints: [] } as const
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
  { signature, by, attempts, hints }: Evidence,
  proven: ReadonlySet<TrustedKey>,
): Failure {
  const [claimed] = by.claimed
  const { mistake, sig: bytes = new Uint8Array(), sigText } = signature
  if (sigText === '' && signature.keyid === undefined) {
    return { verdict: 'unsigned', reason: noValue, key: undefined }
  }
  if (sigText === '') {
    return { verdict: 'mismatch', reason: mistake ?? 'It has no signature value.', key: claimed }
  }
  // With no key to refuse, it is the signature itself that is of an unsupported kind.
  if (attempts.claimed.result === 'unsupported') {
    return { verdict: 'unsupported', reason: attempts.claimed.reason, key: claimed }
  }
  if (attempts.others.result === 'unsupported' && attempts.others.maker !== undefined) {
    const { reason, maker } = attempts.others
    return { verdict: 'unsupported', reason, key: maker }
  }
  const hint = hints.find(({ key }) => key)
  if (hint?.key) return { verdict: 'mismatch', reason: hint.message, key: hint.key }
  if (attempts.claimed.result === 'not-tried' || attempts.others.result === 'not-tried') {
    return { verdict: 'unsupported', reason: leftOver, key: undefined }
  }
  // Anyone who changes a payload can sign it anew: only a trusted key shows that nothing was changed.
  const isVouched = [...proven].some(isTrusted)
  const changedOf = ({ algorithm, jwsAlgorithm }: TrustedKey): string => {
    const changed = isVouched ? damaged : tampered
    if (jwsAlgorithm !== undefined) {
      return `${changed} Only ${jwsAlgorithm} counts, as the "alg" of the key says.`
    }
    return isVouched || algorithm.type !== 'EC' ? changed : `${changed} ${otherHash}`
  }
  if (claimed) {
    const reason =
      mistake ?? `${sentenceOf(describeKey(claimed))} doesn't verify it: ${changedOf(claimed)}`
    return { verdict: 'mismatch', reason, key: claimed }
  }
  const rest = attempts.others
  const unknown = (why: string): Failure => {
    const reason = mistake === undefined ? why : `${why} ${mistake}`
    return { verdict: 'unknown-key', reason, key: undefined }
  }
  const able = by.others.filter((one) => !proven.has(one) && couldHaveMade(one, bytes))
  const isBroken = isBrokenSignature(bytes)
  const why = isVouched ? intact : isBroken ? cut : able.length === 0 ? ofNoKey(bytes) : either
  if (by.others.length === 0) return unknown(by.isNamed ? namedUnknown : nothingToTry)
  if (rest.result === 'other-key') return unknown(`No trusted key made it. ${rest.reason}`)
  if (by.isNamed) return unknown(why)
  if (rest.result === 'unsupported') {
    return { verdict: 'unsupported', reason: rest.reason, key: undefined }
  }
  if (mistake !== undefined) return { verdict: 'mismatch', reason: mistake, key: undefined }
  if (isBroken) {
    return { verdict: 'mismatch', reason: broken, key: undefined }
  }
  const [only, ...more] = able
  if (only && more.every((one) => keyIdentity(one) === keyIdentity(only))) {
    const reason = `It names no key. ${sentenceOf(describeKey(only))} is the only known key that could have made it, and doesn't verify it: ${changedOf(only)}`
    return { verdict: 'mismatch', reason, key: only, isGuess: true }
  }
  return unknown(why)
}

const noValue = 'It has no value and names no key, so nothing is signed.'
const namedUnknown = "It names a key that isn't trusted here, and there are no trusted keys to try."
const nothingToTry = 'It names no key, and there are no trusted keys to try.'

const broken =
  "Its bytes aren't a signature of any known kind, so no key can have made it in this form."
const cut =
  "No trusted key verifies it: its bytes aren't a signature of any known kind, so it may be cut off or damaged."
const intact =
  'No trusted key verifies it. A trusted key verifies another signature of this envelope, so the content is unchanged. Another key made this one, or it is damaged.'
const damaged =
  'another key made it, or it is damaged, since a trusted key verifies another signature.'
const either = 'No trusted key verifies it: it was changed after signing, or another key made it.'
const otherKind =
  'No trusted key verifies it: none of them makes this kind of signature, so another key made it'
const tampered = 'the payload, its type or the signature was changed, or another key made it.'
const otherHash = 'Another hash than SHA-256, -384 or -512 would look the same.'
const leftOver = 'Not checked: too many signatures and keys to try at once.'

/** What is odd about a signature that is verified (docs/attestations.md#signature-hints). */
function remarksOn(
  proof: Proof,
  key: TrustedKey,
  keyIdForm: KeyIdForm,
  named: TrustedKey | undefined,
): readonly Hint[] {
  const remarks: Hint[] = []
  if (keyIdForm === 'none') {
    const code = named ? 'keyid-names-another-key' : 'keyid-mismatch'
    const names = named ? `names the key ${describeKey(named)}` : "isn't a known form of its id"
    const message = `${sentenceOf(describeKey(key))} verifies it, but the key id ${names}.`
    remarks.push({ code, message, key: named })
  }
  const { scheme } = proof
  if (scheme.name === 'ECDSA' && scheme.hash < hashOfCurve[scheme.curve]) {
    const message = `${scheme.hash} is weaker than ${scheme.curve}, which is meant for ${hashOfCurve[scheme.curve]}.`
    remarks.push({ code: 'weak-hash', message, key })
  }
  if (key.algorithm.type === 'RSA' && key.algorithm.bits < shortestRsa) {
    const message = `RSA of ${key.algorithm.bits} bits is too short to prove who signed.`
    remarks.push({ code: 'short-key', message, key })
  }
  return remarks
}

/** Bits. RSA of 829 bits was factored in 2020. */
const shortestRsa = 1_024

/**
 * Whether a key could have made a signature, by the shape of its bytes alone: of the right length or
 * curve, and for an SSH signature the very key that it names. Says nothing of what was signed.
 */
function couldHaveMade(key: TrustedKey, bytes: Uint8Array): boolean {
  const signature = messageSignature(bytes)?.signature ?? bytes
  const ssh = readSshSig(signature)
  if (ssh) {
    const [wire, other] = [ssh.ok ? sshWireOf(ssh.sshSig.key) : undefined, sshWireOf(key)]
    return wire !== undefined && other !== undefined && sameBytes(wire, other)
  }
  const { algorithm } = key
  switch (algorithm.type) {
    case 'EC':
      return (
        reads(signature, 'P1363').includes(algorithm.curve) ||
        // Numbers of a larger curve are hardly ever so small that they fit a smaller one.
        reads(signature, 'DER')[0] === algorithm.curve
      )
    case 'Ed25519':
      return isEd25519Signature(signature)
    case 'RSA':
      return signature.length === Math.ceil(algorithm.bits / 8)
    case 'unsupported':
      return false
  }
}

/** Whether no key can have made these bytes: DER or r||s that is none, or too few of them for anything. */
function isBrokenSignature(bytes: Uint8Array): boolean {
  const signature = messageSignature(bytes)?.signature ?? bytes
  const ssh = readSshSig(signature)
  if (ssh) return !ssh.ok && ssh.kind === 'malformed'
  if (signature.length > shortest && signature[0] !== derTag.sequence) return false
  return !isOfKnownKind(signature)
}

function isOfKnownKind(signature: Uint8Array): boolean {
  const isRead = reads(signature, 'DER').length > 0 || reads(signature, 'P1363').length > 0
  // An RSA signature may begin with any byte.
  const isRsa = signature.length >= 128 && signature.length % 64 === 0
  return isRead || isRsa || isEd25519Signature(signature)
}

/** What is said of bytes that no trusted key makes: those of no known kind may have been cut off. */
function ofNoKey(bytes: Uint8Array): string {
  const signature = messageSignature(bytes)?.signature ?? bytes
  const isKnown = readSshSig(signature) !== undefined || isOfKnownKind(signature)
  return isKnown ? `${otherKind}.` : `${otherKind}, or it is damaged.`
}

/** Bytes of a signature of Ed25519, and of r||s on P-256. */
const shortest = 64

/** The curves on which the bytes are a signature of a form, the smallest first. */
function reads(signature: Uint8Array, wanted: EcdsaForm) {
  return curveNames.filter((curve) =>
    ecdsaSignatures(signature, curve).some(({ form }) => form === wanted),
  )
}
