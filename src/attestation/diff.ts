import { cutText } from '../protocol/untrusted-text.ts'
import {
  childrenOf,
  countOf,
  type JsonTree,
  keyOf,
  kindOf,
  nextOf,
  noNode,
  property,
  sourceOf,
  stringOf,
} from './decode/json-tree.ts'
import { purlParts, shortJson } from './predicates/predicate-facts.ts'

export interface Change {
  readonly kind: 'added' | 'removed' | 'changed'
  /** Where: the keys from the statement down, and in lists what their members have in common. */
  readonly path: readonly string[]
  /** Undefined where it was added; text as it stands in the envelope, long values cut. */
  readonly before: string | undefined
  /** Undefined where it was removed. */
  readonly after: string | undefined
  /** A package whose version changed: then `before` and `after` are its versions. */
  readonly package: string | undefined
}

/**
 * What changed from one statement to another, by meaning: keys and lists in any order are the same
 * (commands and arguments aside), packages are compared by name, so that a new version is one change
 * and no pair of them. Both spellings of the statement's own fields count as one. Takes the trees of
 * two payloads; about linear in their sizes; never throws and never recurses.
 */
export function diff(before: JsonTree, after: JsonTree): Change[] {
  const known = new Map<string, number>()
  const left = { tree: before, classes: valueClasses(before, known) }
  const right = { tree: after, classes: valueClasses(after, known) }
  const changes: Change[] = []
  const open: Pair[] = [{ before: 0, after: 0, path: undefined }]
  for (let pair = open.pop(); pair; pair = open.pop()) {
    if (left.classes[pair.before] === right.classes[pair.after]) continue
    const kind = kindOf(before, pair.before)
    const isSameKind = kind === kindOf(after, pair.after)
    if (isSameKind && kind === 'object') open.push(...memberPairs(left, right, pair).reverse())
    else if (isSameKind && kind === 'array' && !isOrdered(keyOf(before, pair.before))) {
      open.push(...listPairs(left, right, pair).reverse())
    } else changes.push(changeOf(before, after, pair))
  }
  return changes
}

/** Two places to compare; the path is a chain, so that deep ones cost nothing until they are shown. */
interface Pair {
  readonly before: number
  readonly after: number
  readonly path: Path | undefined
}

interface Path {
  readonly step: string
  readonly above: Path | undefined
}

function memberPairs(left: Side, right: Side, { before, after, path }: Pair): Pair[] {
  const name = before === 0 && after === 0 ? fieldOfStatement : (key: string) => key
  const others = new Map<string, number>()
  for (const child of childrenOf(right.tree, after))
    others.set(name(keyOf(right.tree, child) ?? ''), child)
  const members = new Map<string, number>()
  for (const child of childrenOf(left.tree, before))
    members.set(name(keyOf(left.tree, child) ?? ''), child)
  const pairs: Pair[] = []
  for (const [key, child] of members) {
    pairs.push({
      before: child,
      after: others.get(key) ?? noNode,
      path: { step: key, above: path },
    })
    others.delete(key)
  }
  for (const [key, child] of others) {
    pairs.push({ before: noNode, after: child, path: { step: key, above: path } })
  }
  return pairs
}

/** Writers of snake case mean the same fields. */
function fieldOfStatement(key: string): string {
  if (key === 'type') return '_type'
  return key === 'predicate_type' ? 'predicateType' : key
}

function listPairs(left: Side, right: Side, { before, after, path }: Pair): Pair[] {
  const matched = matchMembers(left, [...childrenOf(left.tree, before)], right, [
    ...childrenOf(right.tree, after),
  ])
  return matched.map((pair) => ({
    before: pair.before,
    after: pair.after,
    path: pair.identity === '' ? path : { step: pair.identity, above: path },
  }))
}

const longestPath = 64

function changeOf(left: JsonTree, right: JsonTree, { before, after, path }: Pair): Change {
  const steps: string[] = []
  for (let at = path; at && steps.length < longestPath; at = at.above) steps.unshift(at.step)
  const purlBefore = purlAt(left, before)
  const purlAfter = purlAt(right, after)
  if (purlBefore && purlBefore.package === purlAfter?.package) {
    const versions = { before: purlBefore.version, after: purlAfter.version }
    return { kind: 'changed', path: steps, ...versions, package: purlBefore.package }
  }
  const place = { path: steps, package: undefined }
  if (before === noNode)
    return { kind: 'added', ...place, before: undefined, after: textOf(right, after) }
  if (after === noNode)
    return { kind: 'removed', ...place, before: textOf(left, before), after: undefined }
  const [one, other] = textsOf(left, before, right, after)
  return { kind: 'changed', ...place, before: one, after: other }
}

function purlAt(tree: JsonTree, node: number) {
  const text = stringOf(tree, node)
  return text === undefined ? undefined : purlParts(text)
}

const longestValue = 2_000

/** Both values as texts that differ where they are read: long strings from where they part, "1" and 1 as in JSON. */
function textsOf(
  left: JsonTree,
  before: number,
  right: JsonTree,
  after: number,
): readonly [string, string] {
  const texts = [textOf(left, before), textOf(right, after)] as const
  const [one, other] = [stringOf(left, before), stringOf(right, after)]
  if (one === undefined || other === undefined) {
    if (texts[0] !== texts[1]) return texts
    const json = (tree: JsonTree, node: number) => shortJson({ tree, node }, longestValue)
    return [json(left, before), json(right, after)]
  }
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  if (at < longestStart) return texts
  const isAmid = /[\uDC00-\uDFFF]/.test(one.charAt(at - contextLength))
  const from = at - contextLength - (isAmid ? 1 : 0)
  const part = (text: string) => `…${shortText(text.slice(from))}`
  return [part(one), part(other)]
}

/** Of strings that are the same for longer, this much is shown before their difference. */
const longestStart = 400
const contextLength = 40

function textOf(tree: JsonTree, node: number): string {
  const text = stringOf(tree, node)
  if (text === undefined) return shortJson({ tree, node }, longestValue)
  return shortText(text)
}

function shortText(text: string): string {
  return text.length > longestValue ? `${cutText(text, longestValue)}…` : text
}

/**
 * The class of each node of a tree: two nodes have the same one exactly where they mean the same, with
 * keys in any order, lists in any order (but commands and arguments) and strings however escaped.
 * Classes are comparable among trees that share `known`. Bottom-up without recursion; n log n.
 */
function valueClasses(tree: JsonTree, known: Map<string, number>): Int32Array {
  const classes = new Int32Array(tree.size)
  // Children come after their parents, so backwards they are ready before them.
  for (let node = tree.size - 1; node >= 0; node--) {
    const form = formOf(tree, node, classes)
    const found = known.get(form) ?? known.size
    if (found === known.size) known.set(form, found)
    classes[node] = found
  }
  return classes
}

/** Whether the order of a list under this key is part of its meaning. */
function isOrdered(key: string | undefined): boolean {
  return key !== undefined && orderedKeys.has(key.toLowerCase())
}

const orderedKeys: ReadonlySet<string> = new Set('command cmd args arguments argv steps'.split(' '))

function formOf(tree: JsonTree, node: number, classes: Int32Array): string {
  const kind = kindOf(tree, node)
  if (kind === 'string') return `"${stringOf(tree, node) ?? ''}`
  if (kind !== 'object' && kind !== 'array') return sourceOf(tree, node)
  const parts: string[] = []
  const count = countOf(tree, node)
  for (let child = node + 1, done = 0; done < count; done++) {
    const value = String(classes[child])
    parts.push(kind === 'object' ? `${JSON.stringify(keyOf(tree, child))}:${value}` : value)
    child = nextOf(tree, child)
  }
  if (kind === 'object') return `{${parts.sort().join(',')}`
  const isInOrder = isOrdered(keyOf(tree, node))
  return isInOrder ? `<${parts.join(',')}` : `[${parts.sort().join(',')}`
}

/** A tree with the class of each of its nodes. */
interface Side {
  readonly tree: JsonTree
  readonly classes: Int32Array
}

/** Two members that are the same thing in two versions; `noNode` where one side lacks it. */
interface MemberPair {
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
function matchMembers(
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
const naming =
  'purl uri @id policyUri id SPDXID bom-ref name vendor attribute downloadLocation path type'.split(
    ' ',
  )

function identityOf(tree: JsonTree, node: number): string {
  const text = stringOf(tree, node)
  if (text !== undefined) return purlParts(text)?.package ?? ''
  for (const key of naming) {
    const name = stringOf(tree, property(tree, node, key))
    if (name !== undefined && name !== '') return purlParts(name)?.package ?? name
  }
  return ''
}
