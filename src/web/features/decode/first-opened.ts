import { childrenOf, countOf, type JsonTree } from '../../../attestation/json-tree.ts'

/** About so many lines are shown at first. */
const mostLines = 60

/** The containers of a tree that are open at first: from the top, as long as it stays on a screen. */
export function firstOpened(tree: JsonTree): ReadonlySet<number> {
  const opened = new Set<number>()
  let lines = 1
  let level: number[] = [0]
  while (level.length > 0) {
    const next: number[] = []
    for (const node of level) {
      const count = countOf(tree, node)
      if (count === 0 || (lines + count > mostLines && node !== 0)) continue
      opened.add(node)
      lines += count
      if (count <= mostLines) next.push(...childrenOf(tree, node))
    }
    level = next
  }
  return opened
}
