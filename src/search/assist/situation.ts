import { findField } from '../fields/fields.ts'
import { readWord } from '../parse.ts'
import {
  type Combination,
  type Expression,
  type Flag,
  type FreeText,
  type Group,
  leavesOf,
  type Negation,
  type Operator,
  type Query,
  type Range,
  type Span,
  type Term,
  type Word,
} from '../tree.ts'

/**
 * What is being written at a position. `from` and `to` are those of the whole token under it, so
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

export interface Place {
  /** The term or name that the position touches, the one on its left where there are two. */
  readonly leaf: Term | Flag | FreeText | undefined
  /** What is around the position, from the root inwards. */
  readonly around: readonly (Combination | Negation | Group)[]
}

/** The place of a position (UTF-16 offset) in a query. */
export function placeAt({ root }: Query, pos: number): Place {
  const around: (Combination | Negation | Group)[] = []
  let part = root && touches(root, pos) ? root : undefined
  while (part) {
    switch (part.type) {
      case 'term':
      case 'flag':
      case 'free-text':
        return { leaf: part, around }
      case 'and':
      case 'or':
        around.push(part)
        part = operandAt(part.operands, pos)
        break
      case 'not':
        around.push(part)
        part = touches(part.operand, pos) ? part.operand : undefined
        break
      case 'group':
        around.push(part)
        part = part.inner && touches(part.inner, pos) ? part.inner : undefined
    }
  }
  return { leaf: undefined, around }
}

function operandAt(operands: readonly Expression[], pos: number): Expression | undefined {
  const touching = operands.filter((operand) => touches(operand, pos))
  // Nothing can be typed into a group from behind its parenthesis.
  return touching.find(({ type }) => type !== 'group') ?? touching[0]
}

type Keyword = 'and' | 'or' | 'not'

/** The `and`, `or` or `not` that the position touches, if one is there. */
export function keywordAt(query: Query, place: Place, pos: number): Span | undefined {
  return keywordsAround(query, place).find(({ from, to }) => from <= pos && pos <= to)
}

/** The keywords that can stand at `from`, where a part of the query begins. */
function keywordsAt(query: Query, place: Place, from: number): readonly Keyword[] {
  const before = query.text.slice(0, from)
  const end = before.trimEnd().length
  if (end === 0 || before[end - 1] === '(') return ['not']
  // A sign stands right before what it negates.
  if (end === from && /[-!]/.test(before[end - 1] ?? '')) return []
  const keyword = keywordsAround(query, place).find(({ to }) => to === end)
  if (keyword) return /^not$/i.test(query.text.slice(keyword.from, keyword.to)) ? [] : ['not']
  return ['and', 'or', 'not']
}

/** Also those that have nothing beside them yet, which the tree does not hold. */
function keywordsAround({ faults }: Query, { around }: Place): Span[] {
  const keywords: Span[] = faults.filter(({ code }) => code === 'dangling-operator')
  for (const part of around) {
    if (part.type === 'and' || part.type === 'or') keywords.push(...part.operators)
    else if (part.type === 'not' && part.operator.symbol === 'not') keywords.push(part.operator)
  }
  return keywords
}

/** A range without its bracket yet, behind whose last word, and spaces, the position is. */
function openRangeBefore(
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
function openWordBefore(
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
