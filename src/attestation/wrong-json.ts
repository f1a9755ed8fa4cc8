import { mistake, type Finding } from './finding.ts'
import { anyProperty, textAt } from './json-fields.ts'
import { jsonLooks, type JsonLook } from './json-looks.ts'
import {
  childrenOf,
  countOf,
  kindOf,
  noNode,
  property,
  stringOf,
  type JsonTree,
} from './json-tree.ts'
import { placeOf, type Source } from './source.ts'
import { inQuotes } from './visible-text.ts'
import { hasPrivateKey, privateKey } from './wrong-paste.ts'

/** What a JSON value that holds no attestation looks like, as a sentence that says what to do. */
export function describeJson(source: Source, node: number): Finding {
  const { tree } = source
  const at = placeOf(source, node)
  if (hasPrivateKey(tree.text) || isPrivateInJson(source, node)) return privateKey
  const problem = problemOf(tree, node)
  if (problem !== undefined) {
    const message = `This is the answer of a service that reports a problem: ${inQuotes(problem)}.`
    return mistake('problem-answer', message, at)
  }
  const known = lookOf(tree, node) ?? lookOf(tree, onlyInside(tree, node))
  const kind = kindOf(tree, node) ?? 'nothing'
  const what = kind === 'object' ? 'JSON, but no attestation' : `JSON, but only ${article(kind)}`
  const message = known?.says ?? `This is ${what}: nothing in it is an envelope or a statement.`
  return mistake(known ? 'wrong-paste' : 'no-envelope', message, at)
}

/** What a problem detail says (RFC 9457), or the error of a registry, of GitHub or of a log. */
function problemOf(tree: JsonTree, node: number): string | undefined {
  const has = (...keys: readonly string[]): boolean => anyProperty(tree, node, ...keys) !== noNode
  const text = (key: string): string | undefined => textAt(tree, node, key)
  if (text('type') !== undefined && has('title', 'status')) {
    return text('detail') ?? text('title') ?? ''
  }
  if (has('documentation_url', 'code', 'status') && text('message') !== undefined) {
    return text('message')
  }
  const errors = property(tree, node, 'errors')
  const [first = noNode] = kindOf(tree, errors) === 'array' ? childrenOf(tree, errors) : []
  const isAlone = countOf(tree, node) === 1
  return textAt(tree, first, 'message') ?? (isAlone ? text('error') : undefined)
}

function lookOf(tree: JsonTree, node: number): JsonLook | undefined {
  return jsonLooks.find(
    ({ has, where }) =>
      has.every((keys) => anyProperty(tree, node, ...keys) !== noNode) &&
      (where === undefined || where(tree, node)),
  )
}

/** Down through what has one member or several alike: answers wrap what they are about. */
function onlyInside(tree: JsonTree, node: number): number {
  let at = node
  for (let level = 0; level < deepestAnswer; level++) {
    const [first = noNode] = childrenOf(tree, at)
    const isWrapping = countOf(tree, at) === 1 || kindOf(tree, at) === 'array'
    if (!isWrapping || lookOf(tree, at)) break
    at = first
  }
  return at
}

const deepestAnswer = 4

/** A JSON Web Key, or a key as in-toto and TUF write it. */
function isPrivateInJson({ tree }: Source, node: number): boolean {
  const keys = property(tree, node, 'keys')
  const key = kindOf(tree, keys) === 'array' ? keys + 1 : node
  if ((textAt(tree, key, 'keyval', 'private') ?? '') !== '') return true
  return (
    stringOf(tree, property(tree, key, 'kty')) !== undefined &&
    anyProperty(tree, key, 'd', 'k') !== noNode
  )
}

function article(kind: string): string {
  return kind === 'array' ? 'an array' : kind === 'null' ? 'null' : `a ${kind}`
}
