import type { AssistContext } from './assist/context.ts'
import { keywordAt } from './assist/keyword.ts'
import { type Place, placeAt } from './assist/place.ts'
import type { Field } from './field.ts'
import { fields, findField } from './fields.ts'
import { nearest } from './nearest.ts'
import { parse } from './parse.ts'
import { readCondition } from './read-condition.ts'
import type { FieldName, Query, Span, Term } from './tree.ts'
import { fieldLines } from './words/field-lines.ts'
import { keywordLine, operatorLine, wildcardLine } from './words/sign-lines.ts'
import { valueLines } from './words/value-lines.ts'

/** What the token from `from` to `to` is and means, in plain sentences. */
export interface Hover extends Span {
  readonly title: string
  readonly lines: readonly string[]
}

/**
 * What stands at a position (UTF-16 offset) of a query: a field and how its values are written, what a
 * value was read as, an operator, a keyword, a wildcard. Undefined where nothing stands. Takes the
 * text, or the query where it is parsed already.
 */
export function hover(
  source: string | Query,
  pos: number,
  context: AssistContext = {},
): Hover | undefined {
  const query = typeof source === 'string' ? parse(source) : source
  const place = placeAt(query, pos)
  const { leaf } = place
  if (leaf?.type === 'term') return termHover(query.text, leaf, pos, context)
  if (leaf?.type === 'flag') return fieldHover(leaf.field, context)
  if (leaf) return hoverOf(query.text, leaf, [freeTextLine])
  const sign = signAt(place, pos) ?? keywordAt(query, place, pos)
  return sign && hoverOf(query.text, sign, [keywordLine(query.text.slice(sign.from, sign.to))])
}

const freeTextLine = 'Text needs a field, such as project: or tag:.'

/** The `-`, `!` or `not` at the position. */
function signAt({ around }: Place, pos: number): Span | undefined {
  const innermost = around.at(-1)
  return innermost?.type === 'not' && isIn(innermost.operator, pos) ? innermost.operator : undefined
}

function termHover(text: string, term: Term, pos: number, context: AssistContext): Hover {
  if (isIn(term.field, pos)) return fieldHover(term.field, context)
  const field = findField(term.field.name)
  if (!field) return { ...fieldHover(term.field, context), from: term.from, to: term.to }
  const { operator, pattern } = term
  if (isIn(operator, pos) || pattern.type === 'missing') {
    return hoverOf(text, operator, [operatorLine(operator.symbol, field.type)])
  }
  if (pattern.type === 'range') {
    const { separator } = pattern
    if (separator && isIn(separator, pos)) return hoverOf(text, separator, [keywordLine('to')])
  } else if (pattern.segments.length > 1) {
    const wildcard = pattern.segments.find((part) => part.type === 'wildcard' && isIn(part, pos))
    if (wildcard) return hoverOf(text, wildcard, [wildcardLine])
  }
  return hoverOf(text, pattern, readingLines(term, field, context))
}

/** What the value of a term was read as, or why it cannot be. */
function readingLines(term: Term, field: Field, context: AssistContext): readonly string[] {
  const reading = readCondition(term, field)
  return reading.ok ? valueLines(reading.condition, field.type, context) : [reading.mistake.message]
}

function fieldHover({ name, from, to }: FieldName, { serverRelease }: AssistContext): Hover {
  const field = findField(name)
  if (field) return { from, to, title: name, lines: fieldLines(field, serverRelease) }
  const [likely] = nearest(
    name,
    fields.map((known) => known.name),
  )
  const question = likely === undefined ? '' : ` Did you mean ${likely}?`
  return { from, to, title: name, lines: [`Unknown field ${name}.${question}`] }
}

function hoverOf(text: string, { from, to }: Span, lines: readonly string[]): Hover {
  return { from, to, title: text.slice(from, to), lines }
}

function isIn({ from, to }: Span, pos: number): boolean {
  return from <= pos && pos < to
}
