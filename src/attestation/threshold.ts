import { hexOf } from './hex.ts'
import type { SignatureVerdict } from './signature-verdict.ts'
import { isTrusted, type TrustedKey } from './trusted-key.ts'

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
 * brought along counts only where somebody trusts it. Less than 1 is read as 1: a threshold that
 * nobody has to meet proves nothing.
 */
export function threshold(verdicts: readonly SignatureVerdict[], required = 1): Threshold {
  const needed = Number.isFinite(required) ? Math.max(1, Math.ceil(required)) : Infinity
  const keys = new Map<string, TrustedKey>()
  const repeated: number[] = []
  const untrusted: number[] = []
  for (const { verdict, key, index } of verdicts) {
    if (verdict !== 'verified' || key === undefined) continue
    const id = hexOf(key.spki)
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
