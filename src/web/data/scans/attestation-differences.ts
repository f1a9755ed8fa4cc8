import {
  childrenOf,
  type JsonTree,
  keyOf,
  kindOf,
  property,
  sourceOf,
  stringOf,
} from '../../../attestation/decode/json-tree.ts'
import { type ChangeInWords, changesInWords } from '../../../attestation/change-words.ts'
import { typeName } from '../../../attestation/predicates/predicate-types.ts'
import { readAttestationUri } from '../../../protocol/package-address.ts'
import type { AttestationRunner } from '../attestation/attestation-runner.ts'
import { asProblem } from '../core/attempts.ts'
import type { EvidenceChecks } from './evidence-checks.ts'

export type ComparedSide = 'before' | 'after'

export interface TypeDifference {
  readonly predicateType: string
  /** As people call it. */
  readonly name: string
  /** How many each side has of it; of several those are compared that are most alike. */
  readonly counts: Readonly<Record<ComparedSide, number>>
  readonly changes: readonly ChangeInWords[]
}

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
    for (const [tree, other] of pairsAlike(before, after)) {
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

/**
 * Each attestation of one side with its own on the other: of the same artifact, else of a file of the
 * same name, else the one that has most in common with it. What is left over on one side stays alone.
 */
function pairsAlike(
  before: readonly JsonTree[],
  after: readonly JsonTree[],
): readonly (readonly [JsonTree, JsonTree])[] {
  const [first] = before
  const [only] = after
  if (first === undefined || only === undefined) return []
  if (before.length === 1 && after.length === 1) return [[first, only]]
  const left = before.map((tree, place) => ({ tree, place, ...traitsOf(tree) }))
  const right = after.map((tree, place) => ({ tree, place, ...traitsOf(tree) }))
  const candidates = left
    .flatMap((one) => right.map((other) => ({ one, other, likeness: likeness(one, other) })))
    .sort(
      (a, b) =>
        b.likeness - a.likeness || a.one.place - b.one.place || a.other.place - b.other.place,
    )
  const taken = new Set<JsonTree>()
  const pairs = candidates.filter(({ one, other }) => {
    if (taken.has(one.tree) || taken.has(other.tree)) return false
    taken.add(one.tree).add(other.tree)
    return true
  })
  return pairs
    .sort((a, b) => a.one.place - b.one.place)
    .map(({ one, other }) => [one.tree, other.tree])
}

interface Traits {
  readonly digests: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  /** Keys with their values, anywhere in it; the first of very many. */
  readonly values: ReadonlySet<string>
}

const mostValues = 500

function traitsOf(tree: JsonTree): Traits {
  const digests = new Set<string>()
  const names = new Set<string>()
  for (const subject of childrenOf(tree, property(tree, 0, 'subject'))) {
    names.add(stringOf(tree, property(tree, subject, 'name')) ?? '')
    for (const digest of childrenOf(tree, property(tree, subject, 'digest'))) {
      digests.add(sourceOf(tree, digest))
    }
  }
  const values = new Set<string>()
  for (let node = 0; node < tree.size && values.size < mostValues; node++) {
    const kind = kindOf(tree, node)
    if (kind === 'object' || kind === 'array') continue
    values.add(`${keyOf(tree, node) ?? ''} ${sourceOf(tree, node)}`)
  }
  return { digests, names, values }
}

/** The more the better; an artifact decides before a name, and a name before anything else. */
function likeness(one: Traits, other: Traits): number {
  const shared = (which: keyof Traits): number => {
    let count = 0
    for (const value of one[which]) if (other[which].has(value)) count += 1
    return count / Math.max(1, one[which].size, other[which].size)
  }
  return 100 * shared('digests') + 10 * shared('names') + shared('values')
}

function weight({ changes, counts }: TypeDifference): number {
  return changes.length + (counts.before === counts.after ? 0 : 1)
}

async function treeOf(
  checks: EvidenceChecks,
  uri: string,
  signal: AbortSignal,
): Promise<{
  readonly found: { readonly predicateType: string; readonly tree: JsonTree } | undefined
  readonly reason: string
}> {
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
