import type { JsonTree } from './json-tree.ts'

/** The growing columns of a tree while it is read; `parse-json-tree.ts` is its only user. */
export interface NodeTable {
  /** Valid until the next `add`. */
  readonly kinds: Uint8Array
  readonly parents: Int32Array
  /** Appends a node below `parent` (-1: the root) and says its number. */
  add(kind: number, start: number, keyStart: number, keyEnd: number, parent: number): number
  /** Everything added since belongs to the node; its text ends before `end`. */
  close(node: number, end: number): void
  tree(text: string): JsonTree
}

/** An empty table with room for `capacity` nodes; it doubles when it is full. */
export function createNodeTable(capacity: number): NodeTable {
  let room = capacity
  let size = 0
  let level = 0
  let depth = 0
  let kinds = new Uint8Array(room)
  let starts = new Int32Array(room)
  let ends = new Int32Array(room)
  let keyStarts = new Int32Array(room)
  let keyEnds = new Int32Array(room)
  let parents = new Int32Array(room)
  let nexts = new Int32Array(room)
  let counts = new Int32Array(room)

  function grow(): void {
    room *= 2
    kinds = larger(kinds, new Uint8Array(room))
    starts = larger(starts, new Int32Array(room))
    ends = larger(ends, new Int32Array(room))
    keyStarts = larger(keyStarts, new Int32Array(room))
    keyEnds = larger(keyEnds, new Int32Array(room))
    parents = larger(parents, new Int32Array(room))
    nexts = larger(nexts, new Int32Array(room))
    counts = larger(counts, new Int32Array(room))
  }

  return {
    get kinds() {
      return kinds
    },
    get parents() {
      return parents
    },
    add(kind, start, keyStart, keyEnd, parent) {
      if (size === room) grow()
      const node = size
      size += 1
      kinds[node] = kind
      starts[node] = start
      keyStarts[node] = keyStart
      keyEnds[node] = keyEnd
      parents[node] = parent
      if (parent >= 0) counts[parent] = (counts[parent] ?? 0) + 1
      if (level > depth) depth = level
      level += 1
      return node
    },
    close(node, end) {
      ends[node] = end
      nexts[node] = size
      level -= 1
    },
    tree: (text) => ({
      text,
      size,
      kinds: used(kinds, size),
      starts: used(starts, size),
      ends: used(ends, size),
      keyStarts: used(keyStarts, size),
      keyEnds: used(keyEnds, size),
      parents: used(parents, size),
      nexts: used(nexts, size),
      counts: used(counts, size),
      depth,
    }),
  }
}

function larger<Column extends Uint8Array | Int32Array>(from: Column, to: Column): Column {
  to.set(from)
  return to
}

/** A column without the room it did not need; copied where that would keep much memory for little. */
function used<Column extends Uint8Array | Int32Array>(column: Column, size: number): Column {
  return (size * 2 < column.length ? column.slice(0, size) : column.subarray(0, size)) as Column
}
