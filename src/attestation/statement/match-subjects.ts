import {
  childrenOf,
  countOf,
  hasKey,
  isString,
  type JsonTree,
  keyOf,
  nextOf,
  noNode,
  property,
  stringOf,
} from '../decode/json-tree.ts'
import type { Envelope } from '../decode/envelope.ts'
import { inQuotes } from '../decode/visible-text.ts'
import type { PayloadContent } from './payload-content.ts'
import type { Statement } from './statement.ts'
import { digestsAt, isWeakDigest, judgeDigest, subjectNodes } from './subjects.ts'

/** A digest with the name of its algorithm in a statement. */
export interface NamedDigest {
  readonly algorithm: string
  readonly value: string
}

export type SubjectMatch =
  | {
      /** `weak`: only in digests that two different things can be made to have. */
      readonly kind: 'equal' | 'weak'
      readonly algorithm: string
      readonly value: string
      /** The subjects that have it, from 0. */
      readonly subjects: readonly number[]
    }
  | {
      readonly kind: 'different'
      /** What no subject has, or what the shown subject lacks. */
      readonly missing: NamedDigest
      /** The algorithm in which the same subject is equal: it contradicts itself. */
      readonly equal: string | undefined
    }
  /**
   * No subject has a digest of these algorithms, or (`isPartial`) some have another one and some have none, so
   * nothing can be said.
   */
  | {
      readonly kind: 'incomparable'
      readonly isPartial: boolean
      /** Why a digest of these algorithms doesn't count: a part of a sentence that begins with "its". */
      readonly odd?: string
    }
  /** It isn't said to be an in-toto statement, so a field called "subject" may mean anything; a sentence. */
  | { readonly kind: 'not-a-statement'; readonly reason: string }

/** An attestation as far as its subjects are compared. */
export interface Attestation {
  /** Undefined where a statement stood alone. */
  readonly envelope: Pick<Envelope, 'payloadType'> | undefined
  readonly statement: Statement | undefined
  readonly content: PayloadContent
}

/** Compares by digest alone (docs/attestations.md#subjects): equal where all comparable ones are, one a strong one. */
export function matchSubjects(
  { envelope, statement, content }: Attestation,
  digests: readonly NamedDigest[],
): SubjectMatch {
  if (statement === undefined || content.kind !== 'json') {
    return { kind: 'not-a-statement', reason: "The payload isn't an in-toto statement." }
  }
  const otherType = otherPayloadType(envelope)
  if (otherType !== undefined) return { kind: 'not-a-statement', reason: otherType }
  if (statement.version === 'other') {
    const { _type } = statement
    const reason =
      _type === undefined
        ? 'The statement has no "_type".'
        : `The "_type" ${inQuotes(_type)} isn't that of an in-toto statement.`
    return { kind: 'not-a-statement', reason }
  }
  const { tree } = content
  const usable = digests
    .map(({ algorithm, value }) => ({ algorithm, value: value.toLowerCase() }))
    .filter(({ algorithm, value }) => judgeDigest(algorithm, value).problem === undefined)
  const strong: Found[] = []
  const weak: Found[] = []
  let different: Extract<SubjectMatch, { kind: 'different' }> | undefined
  let isPartial = false
  const nodes = subjectNodes(tree, statement)
  for (let index = 0; index < nodes.length; index++) {
    const owner = property(tree, nodes[index] ?? noNode, 'digest')
    // Of a hundred thousand subjects that are different, the first one is enough.
    if (different && isOther(tree, owner, usable, isPartial)) continue
    const { equal, unequal, isUsable } = compareDigests(tree, owner, usable)
    const [first] = equal
    if (unequal) {
      const shown = { kind: 'different', missing: unequal, equal: first?.algorithm } as const
      if (different?.equal === undefined) different = first ? shown : (different ?? shown)
      continue
    }
    const best = equal.find(({ algorithm, value }) => !isWeakDigest(algorithm, value))
    if (equal.length === 0 && isUsable) isPartial = true
    if (best) strong.push({ index, digest: best })
    else if (first) weak.push({ index, digest: first })
  }
  const found = matched('equal', strong) ?? matched('weak', weak)
  if (found) return found
  // A subject without any of these digests may be the very thing, unless another contradicts itself.
  if (different && (!isPartial || different.equal !== undefined)) return different
  const odd = different === undefined ? oddDigest(tree, nodes, digests) : undefined
  return { kind: 'incomparable', isPartial: different !== undefined, ...(odd && { odd }) }
}

/** Why the payload of an envelope is no statement, whatever it looks like: a sentence; undefined where it may be one. */
export function otherPayloadType(envelope: Attestation['envelope']): string | undefined {
  if (envelope === undefined || inTotoPayload.test(envelope.payloadType)) return undefined
  return `The payload type ${inQuotes(envelope.payloadType)} isn't that of an in-toto statement.`
}

/** The types of in-toto statements (in-toto attestation spec, "Envelope"). */
const inTotoPayload = /^application\/vnd\.in-toto(?:\.[\w.+-]+)?\+json$/

interface Found {
  readonly index: number
  readonly digest: NamedDigest
}

function matched(kind: 'equal' | 'weak', found: readonly Found[]): SubjectMatch | undefined {
  const [first] = found
  return first && { kind, ...first.digest, subjects: found.map(({ index }) => index) }
}

/**
 * Whether a subject has none of the digests and nothing more is to be learned from it, told without copying
 * anything: its one digest is of these algorithms, or it is known that some subjects can't be compared.
 */
function isOther(
  tree: JsonTree,
  owner: number,
  digests: readonly NamedDigest[],
  isPartial: boolean,
): boolean {
  const count = countOf(tree, owner)
  let isNamed = false
  for (let node = owner + 1, at = 0; at < count; at++) {
    for (const { algorithm, value } of digests) {
      if (!hasKey(tree, node, algorithm)) continue
      if (isString(tree, node, value)) return false
      isNamed = true
    }
    node = nextOf(tree, node)
  }
  return isPartial || count === 0 || (count === 1 && isNamed)
}

/** The digests that the subject of these has too, and the first that it has not, having another. */
function compareDigests(
  tree: JsonTree,
  owner: number,
  digests: readonly NamedDigest[],
): {
  readonly equal: readonly NamedDigest[]
  readonly unequal: NamedDigest | undefined
  /** Something has a digest of a kind that a file has, whether of these or not. */
  readonly isUsable: boolean
} {
  const equal: NamedDigest[] = []
  const others: number[] = []
  for (const node of childrenOf(tree, owner)) {
    const same = digests.find(
      ({ algorithm, value }) => hasKey(tree, node, algorithm) && isString(tree, node, value),
    )
    if (same) equal.push(same)
    else others.push(node)
  }
  const isUsable = others.some((node) => isOfFile(keyOf(tree, node) ?? '', stringOf(tree, node)))
  return { equal, unequal: firstUnequal(tree, others, digests), isUsable }
}

/** Git's commits and trees and the hash of a directory are never those of a file or package. */
function isOfFile(algorithm: string, value = ''): boolean {
  const isOfOther = /^(?:git(?!Blob)|dirHash|goModule)/.test(algorithm)
  return !isOfOther && judgeDigest(algorithm, value).problem === undefined
}

/** Of the first subjects, why one has a digest of these algorithms that can't be compared. */
function oddDigest(
  tree: JsonTree,
  nodes: Int32Array,
  digests: readonly NamedDigest[],
): string | undefined {
  for (const subject of nodes.subarray(0, mostLookedAt)) {
    for (const { algorithm, value, problem } of digestsAt(
      tree,
      property(tree, subject, 'digest'),
    )) {
      if (problem === undefined) continue
      const ours = digests.filter((digest) => digest.algorithm === algorithm)
      if (ours.length === 0) continue
      const plain = value.replace(/^[\w-]+:/, '').replaceAll(/\s/g, '')
      const isSame = ours.some((digest) => digest.value.toLowerCase() === plain.toLowerCase())
      const same = isSame ? ' Written as it should be, it would match.' : ''
      return `its ${algorithm} ${problem}, which in-toto doesn't allow.${same}`
    }
  }
  return undefined
}

/** Whoever writes one digest in an odd way writes all so. */
const mostLookedAt = 100

/** A digest of another length is another digest of the same name, and one that is malformed is none. */
function firstUnequal(
  tree: JsonTree,
  nodes: readonly number[],
  digests: readonly NamedDigest[],
): NamedDigest | undefined {
  for (const node of nodes) {
    const [algorithm, value] = [keyOf(tree, node) ?? '', stringOf(tree, node) ?? '']
    const ours = digests.find(
      (digest) => digest.algorithm === algorithm && digest.value.length === value.length,
    )
    if (ours && judgeDigest(algorithm, value).problem === undefined) return ours
  }
  return undefined
}
