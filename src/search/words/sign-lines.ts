import type { FieldType } from '../field.ts'
import type { Operator } from '../tree.ts'

/** What a keyword or a sign of negation means; in any case of letters. */
export function keywordLine(keyword: string): string {
  switch (keyword.toLowerCase()) {
    case 'and':
      return 'Both sides have to be true. It may be left out, and binds tighter than or.'
    case 'or':
      return 'One of the sides has to be true. Put parentheses around it beside and.'
    case 'to':
      return 'Between the ends of a range. Both ends belong to it.'
    default:
      return 'The opposite of what follows. Builds without a value are among it.'
  }
}

export const wildcardLine = 'Stands for any run of characters, also for none.'

/** What an operator means before a value of the type. */
export function operatorLine(symbol: Operator['symbol'], type: FieldType): string {
  const isTime = type === 'instant'
  switch (symbol) {
    case ':':
      return equalities[type]
    case '>':
      return isTime ? 'After this time.' : 'More than this, and not equal.'
    case '>=':
      return isTime ? 'At this time or after it.' : 'At least this.'
    case '<':
      return isTime ? 'Before this time.' : 'Less than this, and not equal.'
    case '<=':
      return isTime ? 'At this time or before it.' : 'At most this.'
    case '=':
      return 'No operator of the language. Write a colon.'
    case '!=':
      return 'No operator of the language. Write a minus before the field, and a colon.'
  }
}

const equalities: Readonly<Record<FieldType, string>> = {
  text: 'Matches the whole value, in any case of letters.',
  pair: 'Matches a name and its value, in any case of letters.',
  duration: 'Exactly this, or within a range.',
  instant: 'Within this day, minute or second, or within a range.',
  boolean: 'Is this.',
  number: 'Exactly this, or within a range.',
  size: 'Exactly this, or within a range.',
}
