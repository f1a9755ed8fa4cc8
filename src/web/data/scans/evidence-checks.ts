import { queryOptions } from '@tanstack/react-query'
import { hexOf, noCrypto, subtleOf } from '../../../attestation/decode/bytes.ts'
import type { Envelope } from '../../../attestation/decode/envelope.ts'
import type { JsonTree } from '../../../attestation/decode/json-tree.ts'
import type { TrustedKey } from '../../../attestation/keys/trusted-key.ts'
import {
  type SignatureVerdict,
  threshold,
} from '../../../attestation/signatures/signature-verdict.ts'
import { createLimit } from '../../../protocol/limit.ts'
import { type AttestationAddress, attestationPath } from '../../../protocol/package-address.ts'
import type { SigstoreTrust } from '../../../protocol/proxy-config.ts'
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
  readonly signature: EvidenceSignature
}

/** Checks attestations one by one, each against the same keys. */
export interface EvidenceChecks {
  /**
   * Reads one when it is its turn. Throws the ProblemError of a fetch that failed, or the reason of
   * `signal`.
   */
  readonly read: (address: AttestationAddress, signal: AbortSignal) => Promise<ReadEvidence>
  /** The query of one attestation; it fails with the ProblemError of a fetch that failed. */
  readonly query: (address: AttestationAddress) => ReturnType<typeof evidenceQuery>
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
    const signature = await judged(decoded.ok ? decoded.envelope : undefined)
    return { predicateType, tree, signature }
  }

  async function judged(envelope: Envelope | undefined): Promise<EvidenceSignature> {
    if (envelope === undefined) {
      return { is: 'not-checked', reason: "The response isn't an attestation." }
    }
    if (subtleOf() === undefined) return { is: 'not-checked', reason: noCrypto }
    const job = { kind: 'survey', envelopes: [envelope], keys, sigstore } as const
    const [verdicts = []] = await runner.run<'survey'>(job)
    return evidenceSignature(verdicts)
  }

  const inTurn: EvidenceChecks['read'] = (address, signal) =>
    few.run(() => read(address, signal), signal)
  return {
    read: inTurn,
    query: (address) =>
      evidenceQuery(attestationPath(address), keyring, async (signal) => {
        const { signature } = await inTurn(address, signal)
        return signature
      }),
  }
}

function evidenceQuery(
  path: string,
  keyring: readonly string[],
  check: (signal: AbortSignal) => Promise<EvidenceSignature>,
) {
  return queryOptions({
    queryKey: ['evidence-signature', path, keyring],
    queryFn: ({ signal }) => check(signal),
    // What is stored under an id does not change.
    staleTime: Infinity,
  })
}

/** What the signatures of an attestation come to, as shortly as it can be said. */
export type EvidenceSignature =
  /** Trusted keys verify it; their names. */
  | { readonly is: 'valid'; readonly by: readonly string[] }
  /** It may be good, but by nobody who is trusted here. */
  | { readonly is: 'unknown-key' }
  /** The key that is said to have made it does not verify it: it is not what was signed. */
  | { readonly is: 'not-valid' }
  | { readonly is: 'unsigned' }
  /** It is no attestation, or its signatures cannot be judged here; a sentence. */
  | { readonly is: 'not-checked'; readonly reason: string }

/** Sums up the verdicts of one envelope; one trusted key that verifies it is enough. */
function evidenceSignature(verdicts: readonly SignatureVerdict[]): EvidenceSignature {
  const { keys } = threshold(verdicts)
  if (keys.length > 0) return { is: 'valid', by: keys.map(({ name }) => name) }
  if (verdicts.every(({ verdict }) => verdict === 'unsigned')) return { is: 'unsigned' }
  if (verdicts.some(isRefuted)) return { is: 'not-valid' }
  const unjudged = verdicts.find(({ verdict }) => verdict === 'unsupported')
  const isUnknown = verdicts.some(({ verdict }) => verdict !== 'unsupported')
  return isUnknown || unjudged === undefined
    ? { is: 'unknown-key' }
    : { is: 'not-checked', reason: unjudged.reason }
}

/** Where nothing names the key that was tried, the signature may simply be by another. */
function isRefuted({ verdict, hints }: SignatureVerdict): boolean {
  return verdict === 'mismatch' && hints.every(({ code }) => code !== 'key-not-named')
}
