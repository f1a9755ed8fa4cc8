import { kindOf, noNode, property, stringOf, type JsonTree } from './json-tree.ts'
import { purlParts } from './purl-parts.ts'

/** A tree with the class of each of its nodes (see `canonical-classes.ts`). */
export interface Side {
  readonly tree: JsonTree
  readonly classes: Int32Array
}

/** Two members that are the same thing in two versions; `noNode` where one side lacks it. */
export interface MemberPair {
  readonly before: number
  readonly after: number
  /** What the two have in common: a package, an address, a name; "" where nothing. */
  readonly identity: string
}

/**
 * Pairs the members of two lists regardless of order. Equal ones fall away; of the others those with
 * the same identity belong together (a package in two versions), and a single one left on both sides
 * does too. Linear.
 */
export function matchMembers(
  before: Side,
  beforeNodes: readonly number[],
  after: Side,
  afterNodes: readonly number[],
): MemberPair[] {
  const [left, right] = withoutEqual(before, beforeNodes, after, afterNodes)
  const waiting = new Map<string, number[]>()
  for (const node of right) {
    const identity = identityOf(after.tree, node)
    const same = waiting.get(identity)
    if (same) same.push(node)
    else waiting.set(identity, [node])
  }
  const pairs: MemberPair[] = []
  const unmatched: MemberPair[] = []
  for (const queue of waiting.values()) queue.reverse()
  for (const node of left) {
    const identity = identityOf(before.tree, node)
    const partner = identity === '' ? undefined : waiting.get(identity)?.pop()
    if (partner === undefined) unmatched.push({ before: node, after: noNode, identity })
    else pairs.push({ before: node, after: partner, identity })
  }
  const added: MemberPair[] = []
  for (const [identity, queue] of waiting) {
    for (const node of queue.reverse()) added.push({ before: noNode, after: node, identity })
  }
  const [onlyRemoved] = unmatched
  const [onlyAdded] = added
  if (onlyRemoved && onlyAdded && unmatched.length === 1 && added.length === 1) {
    const isBothObjects =
      kindOf(before.tree, onlyRemoved.before) === 'object' &&
      kindOf(after.tree, onlyAdded.after) === 'object'
    if (isBothObjects) return [...pairs, { ...onlyAdded, before: onlyRemoved.before, identity: '' }]
  }
  return [...pairs, ...unmatched, ...added]
}

/** The nodes that have no equal on the other side, each equal one counting once. */
function withoutEqual(
  before: Side,
  beforeNodes: readonly number[],
  after: Side,
  afterNodes: readonly number[],
): [number[], number[]] {
  const counts = new Map<number, number>()
  for (const node of afterNodes) {
    const value = after.classes[node] ?? noNode
    counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  const left: number[] = []
  const equal = new Map<number, number>()
  for (const node of beforeNodes) {
    const value = before.classes[node] ?? noNode
    const count = counts.get(value) ?? 0
    if (count === 0) left.push(node)
    else {
      counts.set(value, count - 1)
      equal.set(value, (equal.get(value) ?? 0) + 1)
    }
  }
  const right = afterNodes.filter((node) => {
    const value = after.classes[node] ?? noNode
    const count = equal.get(value) ?? 0
    if (count > 0) equal.set(value, count - 1)
    return count === 0
  })
  return [left, right]
}

/** The keys that name a thing, the surest first. */
const naming = [
  'purl',
  'uri',
  '@id',
  'policyUri',
  'id',
  'SPDXID',
  'bom-ref',
  'name',
  'vendor',
  'attribute',
  'downloadLocation',
  'path',
  'type',
]

function identityOf(tree: JsonTree, node: number): string {
  const text = stringOf(tree, node)
  if (text !== undefined) return purlParts(text)?.package ?? ''
  for (const key of naming) {
    const name = stringOf(tree, property(tree, node, key))
    if (name !== undefined && name !== '') return purlParts(name)?.package ?? name
  }
  return ''
}
