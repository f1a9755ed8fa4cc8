import { decodeBase64 } from '../decode/base64.ts'
import { sameBytes } from '../decode/bytes.ts'
import { inQuotes } from '../decode/visible-text.ts'
import { sshWireOf } from '../keys/ssh-key.ts'
import type { TrustedKey } from '../keys/trusted-key.ts'
import type { KeyTrials, Trial } from './key-trials.ts'
import type { Hash } from '../keys/key-algorithm.ts'
import { describeScheme, type Scheme } from './schemes.ts'
import type { Proof, SignatureForm } from './signature-verdict.ts'
import { readSshSig, type SshSignature, sshSignedData } from './sshsig.ts'

/** What came of trying several keys on one signature. */
export type Attempt =
  | { readonly result: 'verified'; readonly key: TrustedKey; readonly proof: Proof }
  | { readonly result: 'mismatch' }
  /** The signature brings a key that is none of those tried. */
  | { readonly result: 'other-key'; readonly reason: string }
  /** `maker` is the key that certainly made it, in a form that isn't supported. */
  | { readonly result: 'unsupported'; readonly reason: string; readonly maker?: TrustedKey }
  | { readonly result: 'not-tried' }

/**
 * Tries the keys, in their order, on a signature over a message, whatever the bytes are: a plain
 * signature, an SSH signature (which only its own key can verify), or either of them inside a
 * Sigstore MessageSignature, whose digest then has to be that of the message.
 */
export async function attempt(
  keys: readonly TrustedKey[],
  message: Uint8Array<ArrayBuffer>,
  bytes: Uint8Array,
  trials: KeyTrials,
): Promise<Attempt> {
  const inner = messageSignature(bytes)
  const isWrapped = inner !== undefined
  const signature = inner?.signature ?? bytes
  if (inner && !sameBytes(await trials.digest(inner.hash, message), inner.digest)) {
    return { result: 'mismatch' }
  }
  const ssh = readSshSig(signature)
  if (ssh && !ssh.ok) {
    return ssh.kind === 'malformed'
      ? { result: 'mismatch' }
      : { result: 'unsupported', reason: ssh.problem }
  }
  if (ssh) return attemptSsh(keys, message, ssh.sshSig, isWrapped, trials)
  return firstThatVerifies(keys, async (key) => {
    const trial = await trials.tryKey(key, message, signature)
    const form = trial.result === 'verified' ? (trial.form ?? 'plain') : 'plain'
    return { trial, proofOf: (scheme) => proof(scheme, form, isWrapped) }
  })
}

async function attemptSsh(
  keys: readonly TrustedKey[],
  message: Uint8Array<ArrayBuffer>,
  sshSig: SshSignature,
  isWrapped: boolean,
  trials: KeyTrials,
): Promise<Attempt> {
  const wire = sshWireOf(sshSig.key)
  const own = keys.filter((key) => {
    const other = sshWireOf(key)
    return wire && other && sameBytes(wire, other)
  })
  if (own.length === 0) {
    return { result: 'other-key', reason: "The SSH signature contains a key that isn't trusted." }
  }
  const { namespace } = sshSig
  const signed = sshSignedData(sshSig, await trials.digest(sshSig.messageHash, message))
  const outcome = await firstThatVerifies(own, async (key) => ({
    trial: await trials.tryScheme(key, sshSig.scheme, signed, sshSig.signature),
    proofOf: (scheme) => proof(scheme, 'SSHSIG', isWrapped, namespace),
  }))
  if (outcome.result !== 'verified' || namespace === 'git') return outcome
  // What was signed for another purpose counts for nothing here (OpenSSH PROTOCOL.sshsig).
  const reason = `The SSH signature was made for ${inQuotes(namespace, 60)}. Only those for "git" count.`
  return { result: 'unsupported', reason, maker: outcome.key }
}

async function firstThatVerifies(
  keys: readonly TrustedKey[],
  tryOne: (
    key: TrustedKey,
  ) => Promise<{ readonly trial: Trial; readonly proofOf: (scheme: Scheme) => Proof }>,
): Promise<Attempt> {
  let isJudged = false
  let refusal: Attempt | undefined
  for (const key of keys) {
    const { trial, proofOf } = await tryOne(key)
    if (trial.result === 'verified') {
      return { result: 'verified', key, proof: proofOf(trial.scheme) }
    }
    if (trial.result === 'not-tried') return trial
    if (trial.result === 'unsupported' && trial.maker !== undefined) return trial
    if (trial.result === 'unsupported') refusal ??= trial
    else isJudged = true
  }
  // What one key cannot judge, another has: only where none could is the refusal the answer.
  return isJudged ? { result: 'mismatch' } : (refusal ?? { result: 'mismatch' })
}

function proof(scheme: Scheme, form: SignatureForm, isWrapped: boolean, namespace?: string): Proof {
  return {
    scheme,
    algorithm: describeScheme(scheme),
    form,
    message: 'DSSEv1 PAE',
    namespace,
    isWrapped,
  }
}

/** A Sigstore MessageSignature: the signature, and the digest of the message it says it is over. */
export interface MessageSignature {
  readonly signature: Uint8Array
  readonly hash: Hash
  readonly digest: Uint8Array
}

/**
 * The Sigstore MessageSignature (`{"messageDigest": …, "signature": …}`) that some put where the bytes
 * of a signature belong (docs/attestations.md#signature-hints); undefined where the bytes are
 * no such JSON. Strict, and its digest is for the caller to compare, so that none of these bytes can be
 * changed without notice, though the inner signature covers none of them.
 */
export function messageSignature(bytes: Uint8Array): MessageSignature | undefined {
  // "{", and no signature of that kind is long.
  if (bytes[0] !== 0x7b || bytes.length > 100_000) return undefined
  const text = new TextDecoder().decode(bytes)
  const members = membersOf(parse(text), ['messageDigest', 'signature'])
  const digest = membersOf(members?.get('messageDigest'), ['algorithm', 'digest'])
  const hash = protobufHashes.get(digest?.get('algorithm'))
  const value = canonical(digest?.get('digest'))
  const signature = canonical(members?.get('signature'))
  // No program writes it with tabs or escapes.
  if (!hash || !value || !signature || /[\t\r\\]/.test(text)) return undefined
  return { signature, hash, digest: value }
}

/** Hashes by their names in Sigstore's protocol (`HashAlgorithm`). */
export const protobufHashes: ReadonlyMap<unknown, Hash> = new Map([
  ['SHA2_256', 'SHA-256'],
  ['SHA2_384', 'SHA-384'],
  ['SHA2_512', 'SHA-512'],
])

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Bytes that happen to begin with a brace.
    return undefined
  }
}

/** The members of an object that has these and no others. */
function membersOf(
  value: unknown,
  names: readonly string[],
): ReadonlyMap<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const members = new Map<string, unknown>(Object.entries(value))
  return members.size === names.length && names.every((name) => members.has(name))
    ? members
    : undefined
}

function canonical(value: unknown): Uint8Array | undefined {
  const decoded = typeof value === 'string' ? decodeBase64(value) : undefined
  return decoded?.ok === true && decoded.quirks.length === 0 ? decoded.bytes : undefined
}
