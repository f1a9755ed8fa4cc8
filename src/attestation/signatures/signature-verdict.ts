import type { FingerprintForm } from '../keys/fingerprints.ts'
import { keyIdentity } from '../keys/public-key.ts'
import { isTrusted, type TrustedKey } from '../keys/trusted-key.ts'
import type { EcdsaForm, Scheme } from './schemes.ts'

/**
 * `verified`: a key verifies exactly what DSSE says is signed. `mismatch`: the key that is named, or
 * else the only one here that could have made it, does not verify it; or no key could have made it.
 * `unknown-key`: made by a key that is not here, as far as can be known.
 * `unsupported`: it could not be judged, and the reason says why. `unsigned`: it has no value and
 * names no key, as services without a signing key write it.
 */
export type Verdict = 'verified' | 'mismatch' | 'unknown-key' | 'unsupported' | 'unsigned'

/** How a key id names a key: by its name, a known id, the identity of its certificate, or a fingerprint. */
export type KeyIdForm = 'absent' | 'none' | 'name' | 'listed' | 'identity' | FingerprintForm

/** How the bytes of a signature are written; `plain` are Ed25519's and RSA's own. */
export type SignatureForm = EcdsaForm | 'plain' | 'SSHSIG'

/** What is said of one signature of an envelope. Plain data that may be posted between threads. */
export interface SignatureVerdict {
  readonly index: number
  /** As written; a hint by the maker of the envelope, never a proof. */
  readonly keyid: string | undefined
  readonly verdict: Verdict
  /** Why, in one or two sentences. */
  readonly reason: string
  /** The key that verifies it, or the one that it is said to be from, even a trusted one: that proves nothing. */
  readonly key: TrustedKey | undefined
  /** Of a verified signature: how it was made. */
  readonly proof: Proof | undefined
  readonly keyIdForm: KeyIdForm
  readonly triedKeys: number
  /** What may explain the verdict, or is odd about it. None of them changes it. */
  readonly hints: readonly Hint[]
}

export interface Proof {
  readonly scheme: Scheme
  readonly algorithm: string
  readonly form: SignatureForm
  /** What was signed: there is only one answer, all others are hints. */
  readonly message: 'DSSEv1 PAE'
  /** What an SSH signature was made for, such as "git". */
  readonly namespace: string | undefined
  /** Whether the bytes were inside a Sigstore MessageSignature. */
  readonly isWrapped: boolean
}

export type HintCode =
  /** The key verifies something that DSSE does not sign. */
  | 'raw-payload'
  | 'doubled-payload'
  | 'payload-type'
  | 'dssev1-pae'
  /** The signature is written in an unusual way. */
  | 'doubled-base64'
  | 'hex-signature'
  /** The key made it with a hash that doesn't count. */
  | 'sha1-hash'
  /** It does not verify, but nothing says that it is by the key that was tried. */
  | 'key-not-named'
  /** It is verified, but not as it says or not as it should be. */
  | 'keyid-names-another-key'
  | 'keyid-mismatch'
  | 'weak-hash'
  | 'short-key'

export interface Hint {
  readonly code: HintCode
  readonly message: string
  /** The key that would verify it so, or that the key id names. */
  readonly key: TrustedKey | undefined
}

/** Whether a key verifies it in another form than that of DSSE: then nothing was changed since. */
export function isOtherForm({ verdict, key, hints }: SignatureVerdict): boolean {
  return verdict === 'mismatch' && key !== undefined && hints.some((hint) => hint.key === key)
}

/** Whether the key that was tried is only a guess: the signature may simply be by another. */
export function isGuess({ hints }: SignatureVerdict): boolean {
  return hints.some(({ code }) => code === 'key-not-named')
}

/** Whether it is known not to hold: by the key that it is from, and in no form that was ever in use. */
export function isRefuted(verdict: SignatureVerdict): boolean {
  return verdict.verdict === 'mismatch' && !isGuess(verdict) && !isOtherForm(verdict)
}

/** Whether enough different trusted keys have signed. */
export interface Threshold {
  readonly isMet: boolean
  readonly required: number
  /** The trusted keys that verify something, each once. */
  readonly keys: readonly TrustedKey[]
  /** The signatures by a key that had signed already (their indexes): they count for nothing. */
  readonly repeated: readonly number[]
  /** The verified signatures by keys that only the envelope vouches for (their indexes). */
  readonly untrusted: readonly number[]
}

/**
 * Counts the verified signatures of an envelope against a threshold: t of n over unique keys
 * (DSSE v1.0.2, protocol.md). The same key under two names is one key, and a key that the envelope
 * brought along counts only where it is trusted. Less than 1 is read as 1: a threshold of
 * nothing proves nothing.
 */
export function threshold(verdicts: readonly SignatureVerdict[], required = 1): Threshold {
  const needed = Number.isFinite(required) ? Math.max(1, Math.ceil(required)) : Infinity
  const keys = new Map<string, TrustedKey>()
  const repeated: number[] = []
  const untrusted: number[] = []
  for (const { verdict, key, index } of verdicts) {
    if (verdict !== 'verified' || key === undefined) continue
    const id = keyIdentity(key)
    if (!isTrusted(key)) untrusted.push(index)
    else if (keys.has(id)) repeated.push(index)
    else keys.set(id, key)
  }
  return {
    isMet: keys.size >= needed,
    required: needed,
    keys: [...keys.values()],
    repeated,
    untrusted,
  }
}
