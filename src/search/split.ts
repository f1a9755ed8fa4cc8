import { gapBehind } from './format.ts'
import { parse } from './parse.ts'
import type { Combination, Expression } from './tree.ts'

/**
 * Queries that fit, and of which a build matches at least one exactly where it matches `text`: the
 * longest list of alternatives is cut into several. A build may match more than one of them. Undefined
 * where there is no such list, or cutting it is not enough.
 */
export function splitQuery(
  text: string,
  fits: (text: string) => boolean,
): readonly string[] | undefined {
  if (fits(text)) return [text]
  const { root, faults } = parse(text)
  const list = root === undefined || faults.length > 0 ? undefined : alternativesOf(root)
  if (list === undefined) return undefined
  const before = text.slice(0, list.from)
  const behind = text.slice(list.to)
  const isWhole = before.trim() === '' && behind.trim() === ''
  const withThe = (inside: string): string =>
    isWhole ? inside : before + inside + gapBehind(inside) + behind
  const parts: string[] = []
  let chunk: readonly string[] = []
  for (const { from, to } of list.operands) {
    const longer = [...chunk, text.slice(from, to)]
    if (chunk.length > 0 && !fits(withThe(longer.join(' or ')))) {
      parts.push(withThe(chunk.join(' or ')))
      chunk = longer.slice(-1)
    } else chunk = longer
  }
  parts.push(withThe(chunk.join(' or ')))
  return parts.every(fits) ? parts : undefined
}

/** The longest list of alternatives that all of the query depends on. */
function alternativesOf(root: Expression): Combination | undefined {
  const parts = root.type === 'and' ? root.operands : [root]
  let longest: Combination | undefined
  for (const part of parts) {
    const inner = withoutGroups(part)
    if (inner?.type !== 'or') continue
    if (longest === undefined || inner.to - inner.from > longest.to - longest.from) longest = inner
  }
  return longest
}

function withoutGroups(part: Expression): Expression | undefined {
  let inner: Expression | undefined = part
  while (inner?.type === 'group') inner = inner.inner
  return inner
}
