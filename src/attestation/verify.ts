import { decodeBase64 } from './decode/base64.ts'
import { bytesOfHex, noCrypto, subtleOf, type WebCrypto } from './decode/bytes.ts'
import { derSequence } from './decode/der.ts'
import type { Envelope, EnvelopeSignature } from './decode/envelope.ts'
import { prepareCandidates } from './keys/candidates.ts'
import { describeKey, sentenceOf, type TrustedKey } from './keys/trusted-key.ts'
import { type Attempt, attempt } from './signatures/attempt.ts'
import { type Evidence, judge, unjudged } from './signatures/judge.ts'
import { createKeyTrials, type KeyTrials } from './signatures/key-trials.ts'
import { type OtherMessage, otherMessages, pae } from './signatures/pae.ts'
import type { Hint, SignatureVerdict } from './signatures/signature-verdict.ts'

export interface VerifyOptions {
  /** Where the cryptography comes from; `globalThis.crypto` unless given. */
  readonly crypto?: WebCrypto
  /** Ends it early: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Called after each signature how many of how many were tried. */
  readonly progress?: (done: number, of: number) => void
  /**
   * How many single verifications to make at most, all signatures together (10,000 unless given), and a quarter of
   * that for hints; every MB of payload counts as one more. What is left over then is `unsupported`.
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
  const attempted: Omit<Evidence, 'hints'>[] = []
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
    attempted.push({ signature, by, attempts })
    progress?.(at + 1, all.length)
  }

  // What explains the bad ones comes last, with an effort of its own.
  trials.refill(Math.ceil(limit / 4))
  const judged: SignatureVerdict[] = []
  for (const one of attempted) {
    const { signature, by, attempts } = one
    const keys = [...by.claimed, ...by.others]
    const isBad = attempts.others.result !== 'verified'
    const hints = isBad ? await hintsFor(signature, { ...tools, keys }) : []
    judged.push(judge({ ...one, hints }, proven))
  }
  return judged
}

/** Empty where there is none: no key takes that for a signature. */
function bytesOf({ sig }: EnvelopeSignature): Uint8Array {
  return sig ?? new Uint8Array()
}

interface HintTools {
  readonly keys: readonly TrustedKey[]
  readonly message: Uint8Array<ArrayBuffer>
  /** What might have been signed in its place. */
  readonly otherMessages: readonly OtherMessage[]
  readonly trials: KeyTrials
}

type Mistake = OtherMessage['code'] | 'doubled-base64' | 'hex-signature'

/**
 * Why a signature that no key verifies may have been meant well: the first of the known mistakes of
 * signing programs with which it would verify (docs/attestations.md#signature-hints). A hint never
 * makes it verified: what it would prove is not what the envelope says.
 */
async function hintsFor(
  { sig, sigText }: EnvelopeSignature,
  tools: HintTools,
): Promise<readonly Hint[]> {
  if (sig === undefined || sig.length === 0) return []
  const written = otherSpellings(sig, sigText)
  for (const { code, bytes } of written) {
    const hint = await hintIf(code, tools.message, bytes, tools)
    if (hint) return [hint]
  }
  // Without a key there is nothing to make them for, and they are as long as the payload.
  for (const { code, message } of tools.keys.length === 0 ? [] : tools.otherMessages) {
    const hint = await hintIf(code, message(), sig, tools)
    if (hint) return [hint]
  }
  for (const key of tools.keys) {
    if (!(await tools.trials.isBySha1(key, tools.message, sig))) continue
    const message = `${sentenceOf(describeKey(key))} made it with SHA-1, which is too weak to count.`
    return [{ code: 'sha1-hash', message, key }]
  }
  // With no key that fits it is still worth saying that the bytes are not what they look like.
  return written
    .filter(({ code, bytes }) => isTelling(code, bytes))
    .map(({ code }) => ({ code, message: `${sentences[code]}.`, key: undefined }))
}

const sentences: Readonly<Record<Mistake, string>> = {
  'doubled-base64': 'The signature is base64-encoded twice',
  'hex-signature': 'The signature is hexadecimal instead of base64',
  'raw-payload':
    'The signature covers the payload only, without its type (a format older than DSSE)',
  'doubled-payload': 'The payload is base64-encoded twice, and the signature covers it decoded',
  'payload-type':
    'The signature covers the type application/vnd.in-toto+json, not the one in the envelope',
  'dssev1-pae':
    'The signature covers "DSSEV1" and the payload as printed by Python (model_signing 0.2.0)',
}

/** What a key did that would verify the signature in another form; completes "… made it ". */
const madeAs: Readonly<Record<Mistake, string>> = {
  'doubled-base64': "and its signature is base64-encoded twice, which DSSE doesn't allow",
  'hex-signature': 'and its signature is hexadecimal, where DSSE has base64',
  'raw-payload': "in a form older than DSSE, which doesn't cover the payload type",
  'doubled-payload': 'before the payload was base64-encoded a second time',
  'payload-type':
    'for the payload type application/vnd.in-toto+json, not for the one in the envelope',
  'dssev1-pae': "in the form of model_signing 0.2.0, which isn't DSSE",
}

/** Two numbers in DER are no accident, and neither is base64 of nothing but hex digits. */
function isTelling(code: Mistake, bytes: Uint8Array): boolean {
  return code === 'hex-signature' ? bytes.length >= 32 : derSequence(bytes)?.length === 2
}

async function hintIf(
  code: Mistake,
  message: Uint8Array<ArrayBuffer>,
  bytes: Uint8Array,
  { keys, trials }: HintTools,
): Promise<Hint | undefined> {
  const outcome = await attempt(keys, message, bytes, trials)
  if (outcome.result !== 'verified') return undefined
  const { key } = outcome
  return {
    code,
    message: `${sentenceOf(describeKey(key))} made it ${madeAs[code]}.`,
    key,
  }
}

function otherSpellings(
  sig: Uint8Array,
  sigText: string,
): { readonly code: Mistake; readonly bytes: Uint8Array }[] {
  const spellings: { code: Mistake; bytes: Uint8Array }[] = []
  // No signature of any kind is longer than this in either spelling.
  if (sig.length > 20_000) return spellings
  const again = decodeBase64(new TextDecoder().decode(sig))
  if (again.ok && again.bytes.length > 0) {
    spellings.push({ code: 'doubled-base64', bytes: again.bytes })
  }
  const hex = bytesOfHex(sigText.trim())
  if (hex && hex.length > 0) spellings.push({ code: 'hex-signature', bytes: hex })
  return spellings
}
