import { decode } from '../../../attestation/decode.ts'
import type { DecodedItem } from '../../../attestation/decode/decode-tree.ts'
import { visibleText } from '../../../attestation/decode/visible-text.ts'
import { describeKey, type TrustedKey } from '../../../attestation/keys/trusted-key.ts'
import {
  isOtherForm,
  isRefuted,
  type SignatureVerdict,
  threshold,
} from '../../../attestation/signatures/signature-verdict.ts'
import { matchSubjects } from '../../../attestation/statement/match-subjects.ts'
import { verify } from '../../../attestation/verify.ts'
import { countOf } from '../../../protocol/count.ts'
import { attestationPath, readAttestationUri } from '../../../protocol/package-address.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { allowedRequest, canonicalTarget } from '../upstream/allow-list.ts'
import { governorAllowList } from '../upstream/routes.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { readBounded } from '../upstream/upstream-client.ts'
import { acceptResponse } from '../upstream/upstream-response.ts'

/** An attestation as the policy service has it now, or why it could not be fetched: a sentence. */
export type FetchedEnvelope =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly reason: string; readonly isAway: boolean }

/** Larger ones are not taken, bytes. */
const mostBytes = 16 * 1024 * 1024

/**
 * Fetches the attestation that a result refers to, by an address and with a response that the proxy would forward too.
 * `isAway`: the service itself failed, and would fail for others. Rejects only when `signal` aborts.
 */
export async function fetchEnvelope(
  governor: Upstream,
  uri: string,
  { at: now, signal }: { readonly at: number; readonly signal: AbortSignal },
): Promise<FetchedEnvelope> {
  const address = readAttestationUri(uri)
  const target = address && canonicalTarget(attestationPath(address))
  if (target?.ok !== true) {
    return failed("Its address isn't one that the policy service can be asked for.")
  }
  try {
    const { path, route } = allowedRequest(governorAllowList, 'GET', target.target.segments, '')
    const response = await governor.client.request({
      path,
      headers: { accept: 'application/json' },
      headersTimeoutMs: route.headersTimeoutMs,
      signal,
    })
    // What the page of an attestation wouldn't show is none here either.
    await acceptResponse(governor, response, now, route)
    return { ok: true, bytes: await readBounded(response, mostBytes) }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof RangeError) return failed('It is larger than 16 MiB.')
    const isForwarded = !(error instanceof ProblemError) || error.status >= 500
    return failed(
      error instanceof ProblemError ? error.sentence : 'The response broke off.',
      isForwarded,
    )
  }
}

function failed(reason: string, isAway = false): FetchedEnvelope {
  // A service may say anything, and thousands of times.
  return { ok: false, reason: reason.slice(0, 1000), isAway }
}

/** One of the three things to know before believing an attestation, in a word and a sentence. */
interface TrustLine {
  readonly word: string
  readonly sentence: string
}

/** What is said of one attestation in `signatures.json`: the three questions are never mixed. */
export interface JudgedEnvelope {
  readonly predicateType: string | null
  /** Whether the signatures hold, anyone who made them. */
  readonly signature: TrustLine
  /** Whether anyone who signed is trusted by the configuration. */
  readonly signer: TrustLine
  /** Whether it is about the artifact that was evaluated, by digest alone. */
  readonly artifact: TrustLine
  readonly signatures: readonly {
    readonly keyid: string | null
    readonly verdict: SignatureVerdict['verdict']
    readonly reason: string
    readonly key: string | null
  }[]
}

/**
 * Judges the attestations in a file against the configured keys and the digest of the artifact. Unlike the page, it
 * neither unpacks gzip data nor reads YAML nor checks a certificate's identity, which the README of a bundle says.
 */
export async function judgeEnvelope(
  bytes: Uint8Array,
  keys: readonly TrustedKey[],
  sha256: readonly string[],
): Promise<readonly JudgedEnvelope[]> {
  const decoded = decode(bytes)
  if (!decoded.ok) return []
  const judged: JudgedEnvelope[] = []
  for (const item of decoded.items) {
    const verdicts = item.envelope === undefined ? [] : await verify(item.envelope, keys)
    judged.push({
      predicateType: item.statement?.predicateType ?? null,
      signature: signatureLine(verdicts),
      signer: signerLine(item, verdicts),
      artifact: artifactLine(item, sha256),
      signatures: verdicts.map(({ keyid, verdict, reason, key }) => ({
        keyid: keyid ?? null,
        verdict,
        reason,
        key: key === undefined ? null : describeKey(key),
      })),
    })
  }
  return judged
}

function signatureLine(verdicts: readonly SignatureVerdict[]): TrustLine {
  const all = countOf(verdicts.length, 'signature')
  const count = (wanted: SignatureVerdict['verdict']): number =>
    verdicts.filter(({ verdict }) => verdict === wanted).length
  if (verdicts.length === count('unsigned')) {
    return { word: 'not signed', sentence: 'Anyone may have written it.' }
  }
  const refuted = verdicts.find(isRefuted)
  if (refuted !== undefined) return { word: 'mismatch', sentence: refuted.reason }
  if (count('verified') > 0) {
    return {
      word:
        count('verified') === verdicts.length ? 'valid' : `${count('verified')} of ${all} valid`,
      sentence: 'Verified over the exact payload (DSSE v1 PAE).',
    }
  }
  const odd = verdicts.find(isOtherForm)
  if (odd !== undefined) return { word: 'other form', sentence: odd.reason }
  return count('unknown-key') + count('mismatch') > 0
    ? {
        word: 'not verified',
        sentence: `No key in this bundle verifies ${verdicts.length === 1 ? 'it' : `any of ${all}`}.`,
      }
    : { word: 'not checked', sentence: verdicts[0]?.reason ?? '' }
}

function signerLine({ envelope }: DecodedItem, verdicts: readonly SignatureVerdict[]): TrustLine {
  const { keys } = threshold(verdicts)
  if (keys.length > 0) {
    const names = keys.map(({ name }) => visibleText(name)).join(', ')
    return { word: 'trusted', sentence: `Signed by ${names}.` }
  }
  if (verdicts.every(({ verdict }) => verdict === 'unsigned')) {
    return { word: 'nobody', sentence: "It isn't signed." }
  }
  return (envelope?.certificates.length ?? 0) > 0
    ? {
        word: 'not checked',
        sentence:
          "It brings a certificate along (keyless signing), whose identity this bundle doesn't check. Open the file in Sightline's decoder.",
      }
    : { word: 'unknown', sentence: 'No configured key has signed it.' }
}

function artifactLine(item: DecodedItem, artifacts: readonly string[]): TrustLine {
  if (item.statement?.subjectCount === 0) return { word: 'none', sentence: 'It has no subject.' }
  for (const value of artifacts) {
    const match = matchSubjects(item, [{ algorithm: 'sha256', value }])
    if (match.kind === 'equal') continue
    if (match.kind === 'not-a-statement') return { word: 'not compared', sentence: match.reason }
    if (match.kind !== 'different') {
      const odd = match.kind === 'incomparable' ? match.odd : undefined
      const sentence =
        odd === undefined
          ? 'Not every subject has a SHA-256 digest to compare.'
          : `It can't be compared: ${odd}`
      return { word: 'not compared', sentence }
    }
    return {
      word: 'mismatch',
      sentence:
        match.equal === undefined
          ? `None of its subjects has sha256:${value}.`
          : `A subject has sha256:${value}, and another SHA-256 as well.`,
    }
  }
  return { word: 'matches', sentence: `A subject has sha256:${artifacts.join(' and sha256:')}.` }
}
