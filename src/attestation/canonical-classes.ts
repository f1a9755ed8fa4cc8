import { countOf, keyOf, kindOf, sourceOf, stringOf, type JsonTree } from './json-tree.ts'

/**
 * Numbers the values of any trees so that two nodes have the same number exactly where they mean the
 * same: keys in any order, lists in any order (but commands and arguments), strings however escaped.
 * Bottom-up without recursion; n log n.
 */
export interface ValueClasses {
  /** The class of each node of a tree. */
  number(tree: JsonTree): Int32Array
}

/** Classes are comparable among the trees that one of these numbered. */
export function createValueClasses(): ValueClasses {
  const known = new Map<string, number>()
  const classOf = (form: string) => {
    const found = known.get(form)
    if (found !== undefined) return found
    known.set(form, known.size)
    return known.size - 1
  }
  return {
    number(tree) {
      const classes = new Int32Array(tree.size)
      // Children come after their parents, so backwards they are ready before them.
      for (let node = tree.size - 1; node >= 0; node--) {
        classes[node] = classOf(formOf(tree, node, classes))
      }
      return classes
    },
  }
}

/** Whether the order of a list under this key is part of its meaning. */
export function isOrdered(key: string | undefined): boolean {
  return key !== undefined && orderedKeys.has(key.toLowerCase())
}

const orderedKeys: ReadonlySet<string> = new Set([
  'command',
  'cmd',
  'args',
  'arguments',
  'argv',
  'steps',
])

function formOf(tree: JsonTree, node: number, classes: Int32Array): string {
  const kind = kindOf(tree, node)
  if (kind === 'string') return `"${stringOf(tree, node) ?? ''}`
  if (kind !== 'object' && kind !== 'array') return sourceOf(tree, node)
  const parts: string[] = []
  const count = countOf(tree, node)
  for (let child = node + 1, done = 0; done < count; done++) {
    const value = String(classes[child])
    parts.push(kind === 'object' ? `${JSON.stringify(keyOf(tree, child))}:${value}` : value)
    child = tree.nexts[child] ?? tree.size
  }
  if (kind === 'object') return `{${parts.sort().join(',')}`
  const isInOrder = isOrdered(keyOf(tree, node))
  return isInOrder ? `<${parts.join(',')}` : `[${parts.sort().join(',')}`
}
