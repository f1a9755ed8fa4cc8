import { createValueClasses, isOrdered } from './canonical-classes.ts'
import { shortJson } from './facts.ts'
import { childrenOf, keyOf, kindOf, noNode, stringOf, type JsonTree } from './json-tree.ts'
import { matchMembers, type Side } from './match-members.ts'
import { purlParts } from './purl-parts.ts'

/** One difference between two statements. */
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
  const classes = createValueClasses()
  const left = { tree: before, classes: classes.number(before) }
  const right = { tree: after, classes: classes.number(after) }
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

/** Two places to compare; the path is a chain, so that deep ones cost nothing until they are told. */
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
  return {
    kind: before === noNode ? 'added' : after === noNode ? 'removed' : 'changed',
    path: steps,
    before: before === noNode ? undefined : textOf(left, before),
    after: after === noNode ? undefined : textOf(right, after),
    package: undefined,
  }
}

function purlAt(tree: JsonTree, node: number) {
  const text = stringOf(tree, node)
  return text === undefined ? undefined : purlParts(text)
}

const longestValue = 2_000

function textOf(tree: JsonTree, node: number): string {
  const text = stringOf(tree, node)
  if (text === undefined) return shortJson({ tree, node }, longestValue)
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text
}
