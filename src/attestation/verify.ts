import { attempt, type Attempt } from './signatures/attempt.ts'
import { prepareCandidates } from './keys/candidates.ts'
import type { Envelope, EnvelopeSignature } from './decode/envelope.ts'
import { hintsFor } from './signatures/hints.ts'
import { type Evidence, judge, unjudged } from './signatures/judge.ts'
import { createKeyTrials } from './signatures/key-trials.ts'
import { otherMessages, pae } from './signatures/pae.ts'
import type { SignatureVerdict } from './signatures/signature-verdict.ts'
import type { TrustedKey } from './keys/trusted-key.ts'
import { noCrypto, subtleOf, type WebCrypto } from './decode/bytes.ts'

export interface VerifyOptions {
  /** Where the cryptography comes from; `globalThis.crypto` unless given. */
  readonly crypto?: WebCrypto
  /** Ends it early: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Called after each signature how many of how many are judged. */
  readonly progress?: (done: number, of: number) => void
  /**
   * How many single verifications to make at most, all signatures together (10,000 unless given);
   * every 100 kB of payload count as one more. What is left over then is `unsupported`.
   */
  readonly limit?: number
}

/**
 * Judges every signature of an envelope by itself, in the order of the envelope
 * (docs/attestations.md#signature-verdicts). Only a signature over the PAE of the exact payload
 * bytes is verified; a key id is a hint that puts its key first. Keys of certificates that the
 * envelope brings along are tried as well, and the verdict's key says where it came from: whether
 * its owner is to be trusted is not said here. Where WebCrypto is missing every verdict is
 * `unsupported` with the reason.
 */
export async function verify(
  envelope: Envelope,
  keys: readonly TrustedKey[],
  { crypto, signal, progress, limit = 10_000 }: VerifyOptions = {},
): Promise<SignatureVerdict[]> {
  signal?.throwIfAborted()
  const subtle = subtleOf(crypto)
  const obstacle = envelope.unverifiable ?? (subtle ? undefined : noCrypto)
  if (subtle === undefined || obstacle !== undefined) {
    return envelope.signatures.map((signature) => unjudged(signature, obstacle ?? noCrypto))
  }
  const trials = createKeyTrials({ subtle, limit, signal })
  const message = pae(envelope.payloadType, envelope.payload)
  const candidatesFor = await prepareCandidates(envelope, keys, subtle)
  const tools = { trials, message, otherMessages: otherMessages(envelope) }
  const all = envelope.signatures.map((signature) => ({ signature, by: candidatesFor(signature) }))

  // The named keys first, for all: bad signatures must not use up what the good ones need.
  const byClaimed: Attempt[] = []
  for (const { signature, by } of all) {
    byClaimed.push(await attempt(by.claimed, message, bytesOf(signature), trials))
  }
  const judged: Evidence[] = []
  const proven = new Set<TrustedKey>()
  for (const [at, { signature, by }] of all.entries()) {
    const first = byClaimed[at] ?? { result: 'not-tried' }
    const attempts = { claimed: first, others: first }
    if (first.result !== 'verified') {
      // Whoever signed once has often signed again: many signatures then need few tries.
      const isLater = (key: TrustedKey) => (proven.has(key) ? 0 : 1)
      const ordered = by.others.toSorted((a, b) => isLater(a) - isLater(b))
      attempts.others = await attempt(ordered, message, bytesOf(signature), trials)
    }
    if (attempts.others.result === 'verified') proven.add(attempts.others.key)
    const hints =
      attempts.others.result === 'verified'
        ? []
        : await hintsFor(signature, { ...tools, keys: [...by.claimed, ...by.others] })
    judged.push({ signature, by, attempts, hints })
    progress?.(at + 1, all.length)
  }
  return judged.map((evidence) => judge(evidence, proven))
}

/** Empty where there is none: no key takes that for a signature. */
function bytesOf({ sig }: EnvelopeSignature): Uint8Array {
  return sig ?? new Uint8Array()
}
