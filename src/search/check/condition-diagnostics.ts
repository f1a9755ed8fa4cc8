import { type Diagnostic, error, type Fix, type TextEdit } from '../diagnostic.ts'
import type { Field } from '../fields/field.ts'
import type { Expression, Range, Span, Term, Word } from '../tree.ts'
import { plainText, quoteValue } from '../values/text.ts'
import { type ValueProblem, shown } from '../values/reading.ts'

/** A fix of one edit that writes another text over the span. */
export function rewrite(span: Span, insert: string, label = `Change to ${shown(insert)}`): Fix {
  return { label, edits: [{ from: span.from, to: span.to, insert }] }
}

/** A problem in a value, where it stands in the query. */
export function valueProblem(word: Word, problem: ValueProblem): Diagnostic {
  const { code, message, instead } = problem
  const fixes = instead.map((text) => rewrite(word, text))
  return error(spanIn(word, problem), code, message, fixes)
}

/** Positions in the text of a value are ones in the query only where nothing is escaped. */
function spanIn(word: Word, { from, to }: ValueProblem): Span {
  const [only, ...rest] = word.segments
  if (from === undefined || to === undefined || from === to || !only || rest.length > 0) {
    return { from: word.from, to: word.to }
  }
  return { from: only.from + from, to: only.from + to }
}

/** Nothing stands behind the operator. */
export function missingValue({ field, operator, pattern }: Term): Diagnostic {
  const isEquality = operator.symbol === ':'
  return error(
    { from: field.from, to: operator.to },
    'syntax.missing-value',
    `${shown(field.name)} needs a value. Add one${isEquality ? ', or * for any value' : ''}.`,
    isEquality ? [rewrite(pattern, '*', `Change to ${shown(field.name)}:*`)] : [],
  )
}

/** `field=x`, `field!=x` and, as `!=`, `field<>x`. */
export function badOperator(term: Term, typed: string = term.operator.symbol): Diagnostic {
  const { operator, field } = term
  const negated = operator.symbol === '!='
  const name = shown(field.name)
  const colon: TextEdit = { from: operator.from, to: operator.to, insert: ':' }
  const written = negated ? `-${name}:` : `${name}:`
  return error(
    operator,
    'syntax.bad-operator',
    `${typed} isn't an operator. Use ${written} and the value.`,
    [
      {
        label: `Change to ${written}`,
        edits: negated ? [{ from: term.from, to: term.from, insert: '-' }, colon] : [colon],
      },
    ],
  )
}

/** `tag>x` and `tag:[a to b]`, where only equality is allowed; with `text`, a range may be put in quotes. */
export function operatorNotAllowed(term: Term, { name, type }: Field, text = ''): Diagnostic {
  const { operator, pattern } = term
  const isRange = pattern.type === 'range'
  const { from, to } = isRange ? pattern : operator
  const canBeQuoted =
    isRange && type === 'text' && pattern.closed && !/^$|["\\]/.test(text.slice(from, to))
  const quoted: Fix = {
    label: 'Add quotes',
    edits: [
      { from, to: from, insert: '"' },
      { from: to, to, insert: '"' },
    ],
  }
  return error(
    { from, to },
    'value.operator-not-allowed',
    `${name} is ${typeNames[type]} and can't be compared with ${isRange ? 'a range' : operator.symbol}. Use ${name}: and the value.`,
    isRange ? (canBeQuoted ? [quoted] : []) : [rewrite(operator, ':')],
  )
}

const typeNames = {
  text: 'text',
  pair: 'a name=value pair',
  boolean: 'true or false',
  duration: 'a duration',
  instant: 'a timestamp',
  number: 'a number',
  size: 'a storage size',
} as const

/** `value:branch`: a name, and nothing that its value has to be. */
export function missingEquals({ field }: Term, word: Word): Diagnostic {
  const name = shown(word.segments.map((it) => (it.type === 'text' ? it.text : '*')).join(''))
  // Inside the quotes, if it is in quotes.
  const end = word.segments.at(-1)?.to ?? word.to
  return error(
    word,
    'value.pair-missing-equals',
    `${field.name} takes name=value. Use ${name}=* to match any value of ${name}.`,
    [
      { label: `Change to ${name}=*`, edits: [{ from: end, to: end, insert: '=*' }] },
      ...(word.segments[0]
        ? [
            {
              label: `Change to *=${name}`,
              edits: [{ from: word.segments[0].from, to: word.segments[0].from, insert: '*=' }],
            },
          ]
        : []),
    ],
  )
}

/** `value:Git branch=main`: a name of several words, without its quotes. Undefined where `next` is something else. */
export function spacedPair(
  { field, pattern }: Term,
  next: Expression | undefined,
  { code }: Diagnostic,
  text: string,
): Diagnostic | undefined {
  if (code !== 'value.pair-missing-equals' || next?.type !== 'term') return undefined
  const span = { from: pattern.from, to: next.to }
  const written = text.slice(span.from, span.to)
  if (next.operator.symbol !== '=' || !/^[^\n"“”„\\()]+$/.test(written)) return undefined
  const quoted = quoteValue(written)
  const message = `A name with a space needs quotes. Use ${shown(`${field.name}:${quoted}`)}.`
  return error(span, code, message, [rewrite(span, quoted)])
}

/** `buildDuration:5*`. */
export function wildcardNotAllowed(word: Word, field: Field): Diagnostic {
  const stars = word.segments.filter(({ type }) => type === 'wildcard')
  const rest = word.segments.map((it) => (it.type === 'text' ? it.text : '')).join('')
  const first = stars[0] ?? word
  return error(
    first,
    'value.wildcard-not-allowed',
    `${field.name} is ${typeNames[field.type]}, so * can't match part of it.`,
    /^[\w.:+-]+$/.test(rest) ? [rewrite(word, rest)] : [],
  )
}

/** `field>*`: only equality tests for a value. */
export function anythingCompared({ field, operator }: Term): Diagnostic {
  return error(
    operator,
    'value.operator-not-allowed',
    `Nothing compares with *. Use ${field.name}:* to match any value.`,
    [rewrite(operator, ':')],
  )
}

/** `[a to ]`, `[ to b]`, `[* to b]`, `[a]` and `[a b]`. Its ends can be read. */
export function rangeShape(
  term: Term,
  range: Range,
  low: Word | undefined,
  high: Word | undefined,
): Diagnostic {
  const { name } = term.field
  if (low && high) {
    const message = `Put the word to between the ends of a range: [${written(low)} to ${written(high)}].`
    const fix = rewrite({ from: low.to, to: high.from }, ' to ', 'Insert to')
    return error(range, 'syntax.range-shape', message, [fix])
  }
  const end = low ?? high
  const instead = end ? `${low ? '>=' : '<='}${written(end)}` : ':*'
  const message = end
    ? `The range has only one end. Add the other, or use ${name}${instead}.`
    : `The range is empty. Use ${name}:* to match any value.`
  const at = { from: term.operator.from, to: range.to }
  const fix = rewrite(at, instead, `Change to ${name}${instead}`)
  return error(range, 'value.range-half-open', message, [fix])
}

/** `[b to a]`, which nothing can lie in. */
export function rangeReversed(range: Range, low: Word, high: Word): Diagnostic {
  return error(
    range,
    'value.range-reversed',
    `The range ends before it starts. Use [${written(high)} to ${written(low)}].`,
    [
      {
        label: 'Swap the ends',
        edits: [
          { from: low.from, to: low.to, insert: written(high) },
          { from: high.from, to: high.to, insert: written(low) },
        ],
      },
    ],
  )
}

/** An end that can be read has no character that needs a quote. */
function written(end: Word): string {
  return plainText(end) ?? '*'
}
