import type { Diagnostic, Fix, TextEdit } from '../diagnostic.ts'
import type { Field } from '../fields/field.ts'
import type { Range, Span, Term, Word } from '../tree.ts'
import { plainText } from '../values/text.ts'
import { type ValueMistake, shown } from '../values/reading.ts'

/** A fix of one edit that writes another text over the span. */
export function rewrite(span: Span, insert: string, label = `Change to ${shown(insert)}`): Fix {
  return { label, edits: [{ from: span.from, to: span.to, insert }] }
}

/** A mistake in a value, where it stands in the query. */
export function valueMistake(word: Word, mistake: ValueMistake): Diagnostic {
  const { code, message, instead } = mistake
  return {
    ...spanIn(word, mistake),
    severity: 'error',
    code,
    message,
    fixes: instead.map((text) => rewrite(word, text)),
  }
}

/** Positions in the text of a value are ones in the query only where nothing is escaped. */
function spanIn(word: Word, { from, to }: ValueMistake): Span {
  const [only, ...rest] = word.segments
  if (from === undefined || to === undefined || from === to || !only || rest.length > 0) {
    return { from: word.from, to: word.to }
  }
  return { from: only.from + from, to: only.from + to }
}

/** Nothing stands behind the operator. */
export function missingValue({ field, operator, pattern }: Term): Diagnostic {
  const isEquality = operator.symbol === ':'
  return {
    from: field.from,
    to: operator.to,
    severity: 'error',
    code: 'syntax.missing-value',
    message: `${shown(field.name)} needs a value. Add one${isEquality ? ', or * for any value' : ''}.`,
    fixes: isEquality ? [rewrite(pattern, '*', `Change to ${shown(field.name)}:*`)] : [],
  }
}

/** `field=x` and `field!=x`. */
export function badOperator(term: Term): Diagnostic {
  const { operator, field } = term
  const negated = operator.symbol === '!='
  const name = shown(field.name)
  const colon: TextEdit = { from: operator.from, to: operator.to, insert: ':' }
  const written = negated ? `-${name}:` : `${name}:`
  return {
    from: operator.from,
    to: operator.to,
    severity: 'error',
    code: 'syntax.bad-operator',
    message: `${operator.symbol} isn't an operator. Use ${written} and the value.`,
    fixes: [
      {
        label: `Change to ${written}`,
        edits: negated ? [{ from: term.from, to: term.from, insert: '-' }, colon] : [colon],
      },
    ],
  }
}

/**
 * `tag>x` and `tag:[a to b]`: the type of the field knows equality alone. With the text of the query, a
 * range can be put in quotes where that is a text.
 */
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
  return {
    from,
    to,
    severity: 'error',
    code: 'value.operator-not-allowed',
    message: `${name} is ${typeNames[type]} and can't be compared with ${isRange ? 'a range' : operator.symbol}. Use ${name}: and the value.`,
    fixes: isRange ? (canBeQuoted ? [quoted] : []) : [rewrite(operator, ':')],
  }
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
  return {
    from: word.from,
    to: word.to,
    severity: 'error',
    code: 'value.pair-missing-equals',
    message: `${field.name} takes name=value. Use ${name}=* to match any value of ${name}.`,
    fixes: [
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
  }
}

/** `buildDuration:5*`. */
export function wildcardNotAllowed(word: Word, field: Field): Diagnostic {
  const stars = word.segments.filter(({ type }) => type === 'wildcard')
  const rest = word.segments.map((it) => (it.type === 'text' ? it.text : '')).join('')
  const first = stars[0] ?? word
  return {
    from: first.from,
    to: first.to,
    severity: 'error',
    code: 'value.wildcard-not-allowed',
    message: `${field.name} is ${typeNames[field.type]}, so * can't match part of it.`,
    fixes: /^[\w.:+-]+$/.test(rest) ? [rewrite(word, rest)] : [],
  }
}

/** `field>*`: only equality asks whether there is a value. */
export function anythingCompared({ field, operator }: Term): Diagnostic {
  return {
    from: operator.from,
    to: operator.to,
    severity: 'error',
    code: 'value.operator-not-allowed',
    message: `Nothing compares with *. Use ${field.name}:* to match any value.`,
    fixes: [rewrite(operator, ':')],
  }
}

/** `[a to ]`, `[ to b]`, `[* to b]`, `[a]` and `[a b]`. Its ends can be read. */
export function rangeShape(
  term: Term,
  range: Range,
  low: Word | undefined,
  high: Word | undefined,
): Diagnostic {
  const { name } = term.field
  const at = { from: range.from, to: range.to, severity: 'error' } as const
  if (low && high) {
    return {
      ...at,
      code: 'syntax.range-shape',
      message: `Put the word to between the ends of a range: [${written(low)} to ${written(high)}].`,
      fixes: [rewrite({ from: low.to, to: high.from }, ' to ', 'Insert to')],
    }
  }
  const end = low ?? high
  const instead = end ? `${low ? '>=' : '<='}${written(end)}` : ':*'
  return {
    ...at,
    code: 'value.range-half-open',
    message: end
      ? `The range has only one end. Add the other, or use ${name}${instead}.`
      : `The range is empty. Use ${name}:* to match any value.`,
    fixes: [
      rewrite({ from: term.operator.from, to: range.to }, instead, `Change to ${name}${instead}`),
    ],
  }
}

/** `[b to a]`, which nothing can lie in. */
export function rangeReversed(range: Range, low: Word, high: Word): Diagnostic {
  return {
    from: range.from,
    to: range.to,
    severity: 'error',
    code: 'value.range-reversed',
    message: `The range ends before it starts. Use [${written(high)} to ${written(low)}].`,
    fixes: [
      {
        label: 'Swap the ends',
        edits: [
          { from: low.from, to: low.to, insert: written(high) },
          { from: high.from, to: high.to, insert: written(low) },
        ],
      },
    ],
  }
}

/** An end that can be read has no character that needs a quote. */
function written(end: Word): string {
  return plainText(end) ?? '*'
}
