import {
  childrenOf,
  countOf,
  endOf,
  type JsonKind,
  type JsonTree,
  keyOf,
  keyStartOf,
  kindOf,
  nextOf,
  noNode,
  sourceOf,
  startOf,
  stringOf,
} from '../decode/json-tree.ts'

/** The lines a tree view has at the moment, as columns: line 0 is the root. */
export interface ShownTree {
  readonly nodes: Int32Array
  /** 0 for the root. */
  readonly levels: Int32Array
  /** The place of each node among its siblings, from 0. */
  readonly indexes: Int32Array
}

export interface TreeRow {
  readonly node: number
  readonly level: number
  /** The key of a member or the index of an element; undefined for the root. */
  readonly name: string | undefined
  readonly kind: JsonKind
  /** A scalar as it is: decoded strings, all digits of a number; undefined for a container. */
  readonly value: string | undefined
  readonly count: number
}

/** The lines of a tree view whose `opened` containers are open; costs what is shown, however large the rest is. */
export function shownTree(tree: JsonTree, opened: ReadonlySet<number>): ShownTree {
  const nodes: number[] = []
  const levels: number[] = []
  const indexes: number[] = []
  const ends: number[] = []
  const passed: number[] = [0]
  for (let node = 0; node < tree.size;) {
    while (ends.length > 0 && node >= (ends.at(-1) ?? 0)) {
      ends.pop()
      passed.pop()
    }
    nodes.push(node)
    levels.push(ends.length)
    const index = passed.pop() ?? 0
    indexes.push(index)
    passed.push(index + 1)
    const end = nextOf(tree, node)
    const isOpen = countOf(tree, node) > 0 && opened.has(node)
    if (isOpen) {
      ends.push(end)
      passed.push(0)
    }
    node = isOpen ? node + 1 : end
  }
  return {
    nodes: Int32Array.from(nodes),
    levels: Int32Array.from(levels),
    indexes: Int32Array.from(indexes),
  }
}

/** What a tree view shows at a line. */
export function rowOf(tree: JsonTree, shown: ShownTree, line: number): TreeRow {
  const node = shown.nodes[line] ?? 0
  const kind = kindOf(tree, node) ?? 'null'
  const isContainer = kind === 'object' || kind === 'array'
  const isRoot = node === 0
  return {
    node,
    level: shown.levels[line] ?? 0,
    name: keyOf(tree, node) ?? (isRoot ? undefined : String(shown.indexes[line])),
    kind,
    value: isContainer ? undefined : (stringOf(tree, node) ?? sourceOf(tree, node)),
    count: countOf(tree, node),
  }
}

/** The containers around a node, outermost first: those to open so that it is shown. */
export function pathTo(tree: JsonTree, node: number): number[] {
  const path: number[] = []
  for (let at = tree.parents[node] ?? noNode; at !== noNode; at = tree.parents[at] ?? noNode)
    path.push(at)
  return path.reverse()
}

/** The address of a node as JSONPath, such as `$.predicate.purls[3]`. */
export function addressOf(tree: JsonTree, node: number): string {
  const steps = [...pathTo(tree, node), node].slice(1).map((at) => {
    const key = keyOf(tree, at)
    if (key === undefined) return `[${indexOf(tree, at)}]`
    return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
  })
  return `$${steps.join('')}`
}

/**
 * The nodes whose key or value holds a text, upper and lower case alike, in document order and at most
 * `limit`. Keys and strings are searched as written, so a character written as an escape is not found
 * by itself.
 */
export function findNodes(tree: JsonTree, sought: string, limit = 10_000): Int32Array {
  const found: number[] = []
  const lower = tree.text.toLowerCase()
  // A few letters grow in lower case; then offsets would be wrong, and case counts after all.
  const isFolded = lower.length === tree.text.length
  const text = isFolded ? lower : tree.text
  const wanted = isFolded ? sought.toLowerCase() : sought
  let at = wanted === '' ? -1 : text.indexOf(wanted)
  for (let node = 0; node < tree.size && at !== -1 && found.length < limit; node++) {
    const isContainer = countOf(tree, node) > 0
    const keyStart = keyStartOf(tree, node)
    const start = keyStart === noNode ? startOf(tree, node) : keyStart
    const end = isContainer ? startOf(tree, node) : endOf(tree, node)
    if (at < start) at = text.indexOf(wanted, start)
    if (at !== -1 && at + wanted.length <= end) found.push(node)
  }
  return Int32Array.from(found)
}

function indexOf(tree: JsonTree, node: number): number {
  let index = 0
  for (const sibling of childrenOf(tree, tree.parents[node] ?? noNode)) {
    if (sibling === node) return index
    index += 1
  }
  return index
}
