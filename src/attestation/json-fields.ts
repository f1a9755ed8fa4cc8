import {
  childrenOf,
  keyOf,
  kindOf,
  noNode,
  property,
  stringOf,
  type JsonTree,
} from './json-tree.ts'

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
