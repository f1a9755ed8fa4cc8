import { queryOptions } from '@tanstack/react-query'
import { hexOf, noCrypto, subtleOf } from '../../../attestation/decode/bytes.ts'
import type { DecodedItem } from '../../../attestation/decode/decode-tree.ts'
import type { Decoded } from '../../../attestation/decode.ts'
import type { JsonTree } from '../../../attestation/decode/json-tree.ts'
import type { TrustedKey } from '../../../attestation/keys/trusted-key.ts'
import {
  isOtherForm,
  isRefuted,
  threshold,
} from '../../../attestation/signatures/signature-verdict.ts'
import { matchSubjects } from '../../../attestation/statement/match-subjects.ts'
import { createLimit } from '../../../protocol/limit.ts'
import { type AttestationAddress, attestationPath } from '../../../protocol/package-address.ts'
import type { SigstoreTrust } from '../../../protocol/proxy-config.ts'
import type { AttestationResults } from '../attestation/attestation-jobs.ts'
import type { AttestationRunner } from '../attestation/attestation-runner.ts'
import { fetchStoredAttestation } from '../attestation/stored-attestation.ts'
import type { Request } from '../core/request.ts'

/** Fetches under way: evidence is looked at beside a page, and the service has others to serve. */
const atOnce = 3

/** Whose signatures count. */
export interface Trust {
  readonly keys: readonly TrustedKey[]
  readonly sigstore?: SigstoreTrust | undefined
}

/** A stored attestation that was fetched, decoded and verified. */
export interface ReadEvidence {
  /** What kind of claim it makes; undefined where it is no statement. */
  readonly predicateType: string | undefined
  /** Of its payload; undefined where that is no JSON. */
  readonly tree: JsonTree | undefined
  /** What it comes to as evidence of the package with this SHA-256, lower-case hex. */
  readonly asOf: (sha256: string) => JudgedEvidence
}

export interface EvidenceChecks {
  /** Reads one when it is its turn. Throws the ProblemError of the fetch, or the reason of `signal`. */
  readonly read: (address: AttestationAddress, signal: AbortSignal) => Promise<ReadEvidence>
  /** The query of one attestation as evidence of the package with this SHA-256. It fails with a ProblemError. */
  readonly query: (address: AttestationAddress, sha256: string) => ReturnType<typeof evidenceQuery>
}

/** Checks with these keys; what is fetched is decoded and verified in a worker, away from the page. */
export function createEvidenceChecks(
  request: Request,
  runner: AttestationRunner,
  { keys, sigstore }: Trust,
): EvidenceChecks {
  const few = createLimit(atOnce)
  const keyring = keys.map(({ name, spki }) => `${name} ${hexOf(spki)}`)

  async function read(address: AttestationAddress, signal: AbortSignal): Promise<ReadEvidence> {
    const input = await fetchStoredAttestation(request, address, signal)
    // Not ended with the signal: the runner would have to begin all its other jobs again.
    const decoded = await runner.run<'decode'>({ kind: 'decode', input })
    const tree = decoded.ok && decoded.content.kind === 'json' ? decoded.content.tree : undefined
    const predicateType = decoded.ok ? decoded.statement?.predicateType : undefined
    const signatures = await judged(decoded)
    const items = decoded.ok ? decoded.items : []
    const asOf = (sha256: string): JudgedEvidence =>
      worstOf(
        signatures.map((signature, at) => ({ signature, subject: subjectOf(items[at], sha256) })),
      )
    return { predicateType, tree, asOf }
  }

  /** Of each attestation in their order, and then of what else the response holds. */
  async function judged(decoded: Decoded): Promise<readonly EvidenceSignature[]> {
    const noAttestation = "The response isn't an attestation."
    if (!decoded.ok) return [{ is: 'not-checked', reason: noAttestation }]
    const { items, mistakes } = decoded
    const unread = mistakes
      .slice(0, 1)
      .map(({ message }) => ({ is: 'not-checked', reason: message }) as const)
    if (subtleOf() === undefined) return [{ is: 'not-checked', reason: noCrypto }]
    const envelopes = items.flatMap(({ envelope }) => envelope ?? [])
    const job = { kind: 'survey', envelopes, keys, sigstore } as const
    const surveyed = [...(await runner.run<'survey'>(job))]
    const signatures = items.map(({ envelope }): EvidenceSignature => {
      const found = envelope && surveyed.shift()
      return found === undefined
        ? { is: 'not-checked', reason: noAttestation }
        : evidenceSignature(found)
    })
    return [...signatures, ...unread]
  }

  const inTurn: EvidenceChecks['read'] = (address, signal) =>
    few.run(() => read(address, signal), signal)
  return {
    read: inTurn,
    query: (address, sha256) =>
      evidenceQuery([attestationPath(address), sha256, ...keyring], async (signal) =>
        (await inTurn(address, signal)).asOf(sha256),
      ),
  }
}

function evidenceQuery(
  of: readonly string[],
  check: (signal: AbortSignal) => Promise<JudgedEvidence>,
) {
  return queryOptions({
    queryKey: ['evidence', ...of],
    queryFn: ({ signal }) => check(signal),
    // What is stored under an id does not change.
    staleTime: Infinity,
  })
}

/** What an attestation comes to: who signed it, and what it is about, are two questions. */
export interface JudgedEvidence {
  readonly signature: EvidenceSignature
  readonly subject: EvidenceSubject
}

/** What it is about by digest alone (docs/attestations.md#subjects); `not-compared` without a digest that proves it. */
export type EvidenceSubject = 'package' | 'another' | 'nothing' | 'not-compared'

/** What the signatures of an attestation come to, as shortly as it can be said. */
export type EvidenceSignature =
  /** Trusted keys verify it; their names, and how many of all its signatures are verified. */
  | {
      readonly is: 'valid'
      readonly by: readonly string[]
      readonly verified: number
      readonly all: number
    }
  /** All that hold are by keys that the attestation brings along; a sentence says why they don't count. */
  | {
      readonly is: 'untrusted'
      readonly reason: string
      readonly verified: number
      readonly all: number
    }
  /** A key verifies it in a form that doesn't count (docs/attestations.md#signature-hints); a sentence. */
  | { readonly is: 'other-form'; readonly reason: string }
  /** It may be good, but by nobody who is trusted here. */
  | { readonly is: 'unknown-key' }
  /** A signature is refuted; a sentence says why. */
  | { readonly is: 'not-valid'; readonly reason: string }
  | { readonly is: 'unsigned' }
  /** It is no attestation, or its signatures cannot be judged here; a sentence. */
  | { readonly is: 'not-checked'; readonly reason: string }

/** What an attestation is worth as evidence, from what says most against the package to the best. */
export const worstFirst = [
  'mismatch',
  'another-artifact',
  'no-subject',
  'unsigned',
  'other-form',
  'untrusted-signer',
  'unknown-signer',
  'not-checked',
  'not-compared',
  'partly-valid',
  'valid',
] as const
export type EvidenceStanding = (typeof worstFirst)[number]

/** The one that says most against the package. */
function worstOf(all: readonly JudgedEvidence[]): JudgedEvidence {
  const rank = (one: JudgedEvidence): number => worstFirst.indexOf(standingOf(one))
  return all.reduce((worst, one) => (rank(one) < rank(worst) ? one : worst))
}

/** Sums up what an attestation comes to: `valid` is only what is signed as a whole and about its package. */
export function standingOf({ signature, subject }: JudgedEvidence): EvidenceStanding {
  if (signature.is === 'not-valid') return 'mismatch'
  if (signature.is === 'unsigned') return 'unsigned'
  if (subject === 'another') return 'another-artifact'
  if (subject === 'nothing') return 'no-subject'
  if (signature.is === 'other-form') return 'other-form'
  if (signature.is === 'untrusted') return 'untrusted-signer'
  if (signature.is === 'unknown-key') return 'unknown-signer'
  if (signature.is === 'not-checked') return 'not-checked'
  if (subject === 'not-compared') return 'not-compared'
  return signature.verified < signature.all ? 'partly-valid' : 'valid'
}

/** The digest in the address of an attestation is that of what it was stored for, which nothing ties to the package. */
function subjectOf(item: DecodedItem | undefined, sha256: string): EvidenceSubject {
  if (item?.statement === undefined) return 'not-compared'
  if (item.statement.subjectCount === 0) return 'nothing'
  switch (matchSubjects(item, [{ algorithm: 'sha256', value: sha256 }]).kind) {
    case 'equal':
      return 'package'
    case 'different':
      return 'another'
    case 'weak':
    case 'incomparable':
    case 'not-a-statement':
      return 'not-compared'
  }
}

/** Sums up the verdicts of one envelope: a signature that is refuted counts before those that hold. */
function evidenceSignature({
  verdicts,
  keyless,
}: AttestationResults['survey'][number]): EvidenceSignature {
  const { keys } = threshold(verdicts)
  if (verdicts.every(({ verdict }) => verdict === 'unsigned')) return { is: 'unsigned' }
  const refuted = verdicts.find(isRefuted)
  if (refuted !== undefined) return { is: 'not-valid', reason: refuted.reason }
  const verified = verdicts.filter(({ verdict }) => verdict === 'verified').length
  const all = verdicts.length
  if (keys.length > 0) return { is: 'valid', by: keys.map(({ name }) => name), verified, all }
  if (verified > 0) {
    const failed = keyless?.checks.find(({ state }) => state === 'failed')
    const reason = failed ? `${failed.name}: ${failed.detail}` : onlyBrought
    return { is: 'untrusted', reason, verified, all }
  }
  const odd = verdicts.find(isOtherForm)
  if (odd !== undefined) return { is: 'other-form', reason: odd.reason }
  const unjudged = verdicts.find(({ verdict }) => verdict === 'unsupported')
  return unjudged === undefined
    ? { is: 'unknown-key' }
    : { is: 'not-checked', reason: unjudged.reason }
}

const onlyBrought = 'Its key came with the attestation, so anyone could have added it.'
