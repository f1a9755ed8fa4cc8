import { readWord } from '../read-word.ts'
import type { Operator, Query, Range, Span, Term, Word } from '../tree.ts'
import { type Keyword, keywordAt, keywordsAt } from './keyword.ts'
import { openRangeBefore, openWordBefore } from './open-end.ts'
import { type Place, placeAt } from './place.ts'

/**
 * What somebody is writing at a position. `from` and `to` are those of the whole token under it, so
 * that a choice in the middle of a token leaves no tail; `typed` is what stands before the position.
 */
export type Situation =
  /** A field, or one of the keywords. */
  | (Token & {
      readonly type: 'name'
      readonly keywords: readonly Keyword[]
      /** An operator follows already. */
      readonly hasOperator: boolean
    })
  /** A value; `typed` is without its quotes and escapes. */
  | (Token & {
      readonly type: 'value'
      readonly fieldName: string
      readonly operator: Operator['symbol']
      readonly inRange: boolean
    })
  /** What stands between the ends of a range. */
  | (Token & { readonly type: 'range-separator' })
  /** Nothing can follow here but a space. */
  | { readonly type: 'complete' }

interface Token extends Span {
  readonly typed: string
}

/** The situation at a position (UTF-16 offset) of a query. */
export function situationAt(query: Query, pos: number): Situation {
  const word = openWordBefore(query, pos)
  if (word) return writing(query.text, word.term, word.span, pos)
  const range = openRangeBefore(query, pos)
  if (range) return inRange(query.text, range.term, range.range, pos)
  const place = placeAt(query, pos)
  const { leaf } = place
  if (leaf?.type === 'term') return inTerm(query, place, leaf, pos)
  if (leaf) return naming(query, place, behindSign(query.text, leaf, pos), pos)
  if (query.text[pos - 1] === ')') return complete
  return naming(query, place, keywordAt(query, place, pos) ?? { from: pos, to: pos }, pos)
}

const complete: Situation = { type: 'complete' }

/** A `-` that is alone yet is not a part of the name to come. */
function behindSign(text: string, leaf: Span, pos: number): Span {
  const isSign = /^[-!]$/.test(text.slice(leaf.from, leaf.to))
  return isSign && pos === leaf.to ? { from: pos, to: pos } : leaf
}

function inTerm(query: Query, place: Place, term: Term, pos: number): Situation {
  const { field, operator, pattern } = term
  if (pos <= field.to) return naming(query, place, field, pos, true)
  if (pos < operator.to) return complete
  if (pattern.type === 'range') return inRange(query.text, term, pattern, pos)
  if (pattern.type === 'missing') return writing(query.text, term, { from: pos, to: pos }, pos)
  if (pos === pattern.to && isClosed(query, pattern)) return complete
  return writing(query.text, term, pattern, pos)
}

/** Whether a word ends with its closing quote. */
function isClosed({ faults }: Query, { from, to, segments }: Word): boolean {
  const isOpen = faults.some((fault) => fault.code === 'unclosed-quote' && fault.to === to)
  return !isOpen && (segments.at(-1)?.to ?? from) < to
}

function inRange(text: string, term: Term, range: Range, pos: number): Situation {
  const { low, high, separator, closed } = range
  if (pos === range.from || (closed && pos === range.to)) return complete
  if (low && touches(low, pos)) return writing(text, term, low, pos, true)
  if (separator && touches(separator, pos)) return separating(text, separator, pos)
  if (high && touches(high, pos)) {
    // `[1m t`: two words without the one between them; the second is on its way to it.
    return separator ? writing(text, term, high, pos, true) : separating(text, high, pos)
  }
  const here = { from: pos, to: pos }
  if (!low || pos < low.from) return low ? complete : writing(text, term, here, pos, true)
  if (!separator) return high ? complete : separating(text, here, pos)
  return high || pos < separator.from ? complete : writing(text, term, here, pos, true)
}

function touches({ from, to }: Span, pos: number): boolean {
  return from <= pos && pos <= to
}

function naming(
  query: Query,
  place: Place,
  { from, to }: Span,
  pos: number,
  hasOperator = false,
): Situation {
  const keywords = hasOperator ? [] : keywordsAt(query, place, from)
  return { type: 'name', from, to, typed: query.text.slice(from, pos), keywords, hasOperator }
}

function writing(
  text: string,
  { field, operator }: Term,
  { from, to }: Span,
  pos: number,
  isInRange = false,
): Situation {
  const typed = readWord(text, { from, to: pos }, [])
    .segments.map((segment) => (segment.type === 'text' ? segment.text : '*'))
    .join('')
  return {
    type: 'value',
    from,
    to,
    typed,
    fieldName: field.name,
    operator: operator.symbol,
    inRange: isInRange,
  }
}

function separating(text: string, { from, to }: Span, pos: number): Situation {
  return { type: 'range-separator', from, to, typed: text.slice(from, pos) }
}
