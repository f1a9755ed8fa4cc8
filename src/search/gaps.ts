import { leavesOf } from './leaves.ts'
import type { Flag, FreeText, Query, Span, Term } from './tree.ts'

/**
 * The stretches of a text in which spaces say nothing, in order: all but values, and what could not be
 * read. None in a text that is too long: nobody knows what is quoted there.
 */
export function gapsOf({ text, root, faults }: Query): Span[] {
  if (faults.some(({ code }) => code === 'too-long')) return []
  const kept = [...faults, ...leavesOf(root).flatMap(wordsOf)].sort((a, b) => a.from - b.from)
  const gaps: Span[] = []
  let at = 0
  for (const { from, to } of [...kept, { from: text.length, to: text.length }]) {
    if (from > at) gaps.push({ from: at, to: from })
    at = Math.max(at, to)
  }
  return gaps
}

function wordsOf(part: Term | Flag | FreeText): readonly Span[] {
  if (part.type !== 'term') return [part]
  const { pattern } = part
  if (pattern.type !== 'range') return [pattern]
  return [pattern.low, pattern.high].filter((word) => word !== undefined)
}
