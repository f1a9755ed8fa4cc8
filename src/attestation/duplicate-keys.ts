import { countOf, keyOf, kindOf, type JsonTree } from './json-tree.ts'

/** A member whose key an earlier member of the same object has. */
export interface DuplicateKey {
  readonly first: number
  readonly second: number
}

/**
 * The members whose key occurred before in their object, in document order and at most `limit` of
 * them. Keys are compared decoded: `"a"` and `"\u0061"` are the same. Linear.
 */
export function duplicateKeys(tree: JsonTree, limit = 100): DuplicateKey[] {
  const found: DuplicateKey[] = []
  for (let node = 0; node < tree.size && found.length < limit; node++) {
    const count = countOf(tree, node)
    if (count < 2 || kindOf(tree, node) !== 'object') continue
    const seen = count <= fewKeys ? withinFew(tree, node, count) : withinMany(tree, node, count)
    found.push(...seen.slice(0, limit - found.length))
  }
  return found
}

/** Up to so many keys, comparing each with each is quicker than a table. */
const fewKeys = 12
const backslash = 92

function withinFew(tree: JsonTree, object: number, count: number): DuplicateKey[] {
  const found: DuplicateKey[] = []
  let child = object + 1
  for (let done = 0; done < count; done++) {
    const hash = hashOfKey(tree, child)
    hashes[done] = hash
    nodes[done] = child
    for (let before = done - 1; before >= 0; before--) {
      const earlier = nodes[before] ?? 0
      if (hashes[before] !== hash || keyOf(tree, earlier) !== keyOf(tree, child)) continue
      found.push({ first: earlier, second: child })
      break
    }
    child = tree.nexts[child] ?? tree.size
  }
  return found
}

/** Scratch, so that half a million small objects cost no allocation each. */
const hashes = new Int32Array(fewKeys)
const nodes = new Int32Array(fewKeys)

function withinMany(tree: JsonTree, object: number, count: number): DuplicateKey[] {
  const found: DuplicateKey[] = []
  const latest = new Map<string, number>()
  let child = object + 1
  for (let done = 0; done < count; done++) {
    const key = keyOf(tree, child) ?? ''
    const earlier = latest.get(key)
    if (earlier !== undefined) found.push({ first: earlier, second: child })
    latest.set(key, child)
    child = tree.nexts[child] ?? tree.size
  }
  return found
}

function hashOfKey(tree: JsonTree, node: number): number {
  const { text } = tree
  const end = (tree.keyEnds[node] ?? 0) - 1
  let hash = 0
  for (let at = (tree.keyStarts[node] ?? 0) + 1; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === backslash) return hashOf(keyOf(tree, node) ?? '')
    hash = (Math.imul(hash, 31) + code) | 0
  }
  return hash
}

function hashOf(key: string): number {
  let hash = 0
  for (let at = 0; at < key.length; at++) hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0
  return hash
}
