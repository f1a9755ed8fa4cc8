import { findField } from '../fields.ts'
import { leavesOf } from '../leaves.ts'
import type { Query, Range, Span, Term, Word } from '../tree.ts'

/** A range without its bracket yet, behind whose last word, and spaces, the position is. */
export function openRangeBefore(
  query: Query,
  pos: number,
): { readonly term: Term; readonly range: Range } | undefined {
  if (!query.faults.some(({ code }) => code === 'unclosed-range')) return undefined
  for (const term of leavesOf(query.root)) {
    if (term.type !== 'term' || term.pattern.type !== 'range' || term.pattern.closed) continue
    const isBetween = term.to <= pos && query.text.slice(term.to, pos).trim() === ''
    if (isBetween) return { term, range: term.pattern }
  }
  return undefined
}

/**
 * A value whose quote is open at the position. The parser ends it at the next space, lest it swallow
 * the rest of the query; who is still writing it means all up to the next term.
 */
export function openWordBefore(
  query: Query,
  pos: number,
): { readonly term: Term; readonly word: Word; readonly span: Span } | undefined {
  const opened = query.faults.findLast(({ code, to }) => code === 'unclosed-quote' && to < pos)
  if (!opened) return undefined
  const leaves = leavesOf(query.root)
  const term = leaves.find(({ from, to }) => from <= opened.from && opened.to <= to)
  if (term?.type !== 'term' || term.pattern.type !== 'word') return undefined
  const between = leaves.filter(({ from }) => from >= opened.to && from < pos)
  if (between.some((leaf) => leaf.type === 'term' && findField(leaf.field.name))) return undefined
  const to = Math.max(pos, between.at(-1)?.to ?? pos)
  return { term, word: term.pattern, span: { from: term.pattern.from, to } }
}
