import type { JsonTree } from '../../../attestation/decode/json-tree.ts'
import { type ChangeInWords, changesInWords } from '../../../attestation/change-words.ts'
import { typeName } from '../../../attestation/predicates/predicate-types.ts'
import { readAttestationUri } from '../../../protocol/package-address.ts'
import type { AttestationRunner } from '../attestation/attestation-runner.ts'
import { asProblem } from '../core/attempts.ts'
import type { EvidenceChecks } from './evidence-checks.ts'

/** Either of the two that are compared. */
export type ComparedSide = 'before' | 'after'

/** What one kind of attestation says of two packages. */
export interface TypeDifference {
  readonly predicateType: string
  /** As people call it. */
  readonly name: string
  /** How many each side has of it; they are compared in their order. */
  readonly counts: Readonly<Record<ComparedSide, number>>
  readonly changes: readonly ChangeInWords[]
}

/** How the attestations of two packages differ. */
export interface AttestationDifferences {
  /** The kinds that differ first. */
  readonly types: readonly TypeDifference[]
  /** What could not be read, so that nothing is known to be the same there. */
  readonly faults: readonly { readonly side: ComparedSide; readonly reason: string }[]
  /** How many of each side were left unread, as there were too many. */
  readonly leftOut: number
}

/** So many are read of each side: a release has a dozen. */
const mostRead = 60

/**
 * Reads the attestations of two sides, by their URIs, and compares those of one kind. `onProgress` says
 * how many of all were read. What can't be read is a fault of its side; throws only when `signal` aborts
 * or the worker breaks.
 */
export async function attestationDifferences(
  { checks, runner }: { readonly checks: EvidenceChecks; readonly runner: AttestationRunner },
  uris: Readonly<Record<ComparedSide, readonly string[]>>,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (done: number, of: number) => void },
): Promise<AttestationDifferences> {
  const asked = (['before', 'after'] as const).flatMap((side) =>
    uris[side].slice(0, mostRead).map((uri) => ({ side, uri })),
  )
  const faults: { side: ComparedSide; reason: string }[] = []
  let done = 0
  onProgress(0, asked.length)
  const read = await Promise.all(
    asked.map(async ({ side, uri }) => {
      const one = await treeOf(checks, uri, signal)
      signal.throwIfAborted()
      done += 1
      onProgress(done, asked.length)
      return { side, ...one }
    }),
  )
  const byType = new Map<string, Record<ComparedSide, JsonTree[]>>()
  for (const { side, found, reason } of read) {
    if (found === undefined) {
      faults.push({ side, reason })
      continue
    }
    const sides = byType.get(found.predicateType) ?? { before: [], after: [] }
    byType.set(found.predicateType, sides)
    sides[side].push(found.tree)
  }
  const types: TypeDifference[] = []
  for (const [predicateType, { before, after }] of byType) {
    const changes: ChangeInWords[] = []
    for (const [index, tree] of before.entries()) {
      const other = after[index]
      if (other === undefined) break
      const compared = await runner.run<'compare'>(
        { kind: 'compare', before: tree, after: other },
        { signal },
      )
      changes.push(...changesInWords(compared))
    }
    const counts = { before: before.length, after: after.length }
    types.push({ predicateType, name: typeName(predicateType), counts, changes })
  }
  const leftOut =
    Math.max(0, uris.before.length - mostRead) + Math.max(0, uris.after.length - mostRead)
  return { types: types.sort((a, b) => weight(b) - weight(a)), faults, leftOut }
}

function weight({ changes, counts }: TypeDifference): number {
  return changes.length + (counts.before === counts.after ? 0 : 1)
}

interface Found {
  readonly predicateType: string
  readonly tree: JsonTree
}

async function treeOf(
  checks: EvidenceChecks,
  uri: string,
  signal: AbortSignal,
): Promise<{ readonly found: Found | undefined; readonly reason: string }> {
  const address = readAttestationUri(uri)
  if (address === undefined) {
    return { found: undefined, reason: `${uri.slice(0, 200)} isn't the address of an attestation.` }
  }
  try {
    const { predicateType, tree } = await checks.read(address, signal)
    return predicateType === undefined || tree === undefined
      ? { found: undefined, reason: "The response isn't an attestation." }
      : { found: { predicateType, tree }, reason: '' }
  } catch (error) {
    signal.throwIfAborted()
    return { found: undefined, reason: asProblem(error).sentence }
  }
}
