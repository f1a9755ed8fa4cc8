/**
 * A JSON document as a few flat arrays over its own text: nodes in document order, so the first child
 * of a container is the node after it and `nexts` is the node after its whole subtree. Nothing is
 * decoded before it is needed: numbers keep their digits, strings their escapes, and a key named
 * `__proto__` is a key like any other. Plain data: its buffers may be transferred between threads.
 */
export interface JsonTree {
  readonly text: string
  /** How many nodes there are; the root is node 0. */
  readonly size: number
  readonly kinds: Uint8Array
  /** Offset of the first character of a value and that after its last one (UTF-16 units). */
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** Offset of the opening quote of a member's key, and after its closing one; -1 without a key. */
  readonly keyStarts: Int32Array
  readonly keyEnds: Int32Array
  readonly parents: Int32Array
  readonly nexts: Int32Array
  readonly counts: Int32Array
  /** The deepest nesting: 0 for a single value. */
  readonly depth: number
}

export const jsonKinds = ['object', 'array', 'string', 'number', 'true', 'false', 'null'] as const
export type JsonKind = (typeof jsonKinds)[number]

/** "No such node": what a missing property reads as, and a node every accessor answers for. */
export const noNode = -1

export function kindOf(tree: JsonTree, node: number): JsonKind | undefined {
  return jsonKinds[tree.kinds[node] ?? jsonKinds.length]
}

/** Where the text of a value begins and ends; 0 for `noNode`. */
export function startOf(tree: JsonTree, node: number): number {
  return tree.starts[node] ?? 0
}
export function endOf(tree: JsonTree, node: number): number {
  return tree.ends[node] ?? 0
}

/** Where the key of a member begins, with its quote; `noNode` without one. */
export function keyStartOf(tree: JsonTree, node: number): number {
  return tree.keyStarts[node] ?? noNode
}
/** Where it ends, behind its quote. */
export function keyEndOf(tree: JsonTree, node: number): number {
  return tree.keyEnds[node] ?? noNode
}

/** The node behind a node and all that is in it. */
export function nextOf(tree: JsonTree, node: number): number {
  return tree.nexts[node] ?? tree.size
}

/** The text of a value exactly as written: the digits of a number, the escapes of a string. */
export function sourceOf(tree: JsonTree, node: number): string {
  return tree.text.slice(startOf(tree, node), endOf(tree, node))
}

/** The decoded string, or undefined where the node is no string. */
export function stringOf(tree: JsonTree, node: number): string | undefined {
  if (kindOf(tree, node) !== 'string') return undefined
  return unquoted(tree.text, startOf(tree, node), endOf(tree, node))
}

/** Whether a node is this decoded string: `stringOf`, and quicker. */
export function isString(tree: JsonTree, node: number, text: string): boolean {
  if (kindOf(tree, node) !== 'string') return false
  const start = startOf(tree, node) + 1
  const length = endOf(tree, node) - 1 - start
  if (length === text.length) return tree.text.startsWith(text, start)
  // A longer one may still be the same, written with escapes.
  return length > text.length && stringOf(tree, node) === text
}

/** The decoded key of a member, or undefined where the node has none. */
export function keyOf(tree: JsonTree, node: number): string | undefined {
  const start = keyStartOf(tree, node)
  if (start === noNode) return undefined
  return unquoted(tree.text, start, keyEndOf(tree, node))
}

/** How many members or elements a container has; 0 for anything else. */
export function countOf(tree: JsonTree, node: number): number {
  return tree.counts[node] ?? 0
}

/** The children of a container in document order, lazily; none for anything else. */
export function* childrenOf(tree: JsonTree, node: number): Generator<number> {
  const count = countOf(tree, node)
  for (let child = node + 1, done = 0; done < count; done++) {
    yield child
    child = nextOf(tree, child)
  }
}

/** The member of an object by its decoded key: the last one of that name, or `noNode`. */
export function property(tree: JsonTree, node: number, key: string): number {
  if (kindOf(tree, node) !== 'object') return noNode
  let found = noNode
  const count = countOf(tree, node)
  for (let child = node + 1, done = 0; done < count; done++) {
    if (hasKey(tree, child, key)) found = child
    child = nextOf(tree, child)
  }
  return found
}

/** Whether a member has this decoded key: `keyOf`, and quicker. */
export function hasKey(tree: JsonTree, node: number, key: string): boolean {
  const start = keyStartOf(tree, node) + 1
  const end = keyEndOf(tree, node) - 1
  if (end - start === key.length) return tree.text.startsWith(key, start)
  // A longer one may still be the same key, written with escapes.
  if (end - start < key.length) return false
  return tree.text.slice(start, end).includes('\\') && keyOf(tree, node) === key
}

/** The content of a quoted text that is known to be a valid JSON string. */
function unquoted(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1)
  if (!raw.includes('\\')) return raw
  const decoded: unknown = JSON.parse(`"${raw}"`)
  return typeof decoded === 'string' ? decoded : raw
}

/** The first of these members that is there, or `noNode`. */
export function anyProperty(tree: JsonTree, node: number, ...keys: readonly string[]): number {
  for (const key of keys) {
    const found = property(tree, node, key)
    if (found !== noNode) return found
  }
  return noNode
}

/** The node that a path of keys leads to, or `noNode`. */
export function atPath(tree: JsonTree, node: number, ...keys: readonly string[]): number {
  return keys.reduce((found, key) => property(tree, found, key), node)
}

/** The string at the end of a path of keys, or undefined where there is none. */
export function textAt(
  tree: JsonTree,
  node: number,
  ...keys: readonly string[]
): string | undefined {
  return stringOf(tree, atPath(tree, node, ...keys))
}

/** The elements of an array that are strings, decoded; nothing for what is no array. */
export function textsIn(tree: JsonTree, node: number): string[] {
  if (kindOf(tree, node) !== 'array') return []
  const texts: string[] = []
  for (const child of childrenOf(tree, node)) {
    const text = stringOf(tree, child)
    if (text !== undefined) texts.push(text)
  }
  return texts
}

/** Keys of an object that are not among the known ones, in order. */
export function unknownKeys(tree: JsonTree, node: number, known: ReadonlySet<string>): string[] {
  if (kindOf(tree, node) !== 'object') return []
  const keys: string[] = []
  for (const child of childrenOf(tree, node)) {
    const key = keyOf(tree, child) ?? ''
    if (!known.has(key)) keys.push(key)
  }
  return keys
}

/**
 * The texts within a document that may hold an attestation themselves: JSON in quotes, or base64 of
 * JSON, as annotations, secrets and log entries carry it. In their order, the first hundred; what is
 * called a payload is left out, as it belongs to a signature of another kind.
 */
export function stringsInside(tree: JsonTree): string[] {
  const found: string[] = []
  for (let node = 0; node < tree.size && found.length < mostStrings; node++) {
    const length = endOf(tree, node) - startOf(tree, node)
    if (length < shortest || kindOf(tree, node) !== 'string') continue
    if (keyOf(tree, node)?.toLowerCase() === 'payload') continue
    const text = stringOf(tree, node) ?? ''
    if (/^\s*[{[]/.test(text) || base64OfJson.test(text)) found.push(text)
  }
  return found
}

const mostStrings = 100

/** The least characters of a statement, in base64 or not. */
const shortest = 60

/** How base64 begins of `{"`, or of a brace with a blank or a line break behind it. */
export const base64OfJson = /^(?:eyJ|ey[AI]|ewo|ew0)/
