import type { FieldType } from '../field.ts'
import type { Operator } from '../tree.ts'

/** What a keyword or a sign of negation means; in any case of letters. */
export function keywordLine(keyword: string): string {
  switch (keyword.toLowerCase()) {
    case 'and':
      return 'Both sides must match. Optional, and binds tighter than or.'
    case 'or':
      return 'At least one side must match. Use parentheses when you mix it with and.'
    case 'to':
      return 'Separates the ends of a range. Both ends are included.'
    default:
      return 'Negates what follows. Builds without a value match, too.'
  }
}

export const wildcardLine = 'Matches any characters, including none.'

/** What an operator means before a value of the type. */
export function operatorLine(symbol: Operator['symbol'], type: FieldType): string {
  const isTime = type === 'instant'
  switch (symbol) {
    case ':':
      return equalities[type]
    case '>':
      return isTime ? 'After this time.' : 'More than this.'
    case '>=':
      return isTime ? 'At or after this time.' : 'At least this.'
    case '<':
      return isTime ? 'Before this time.' : 'Less than this.'
    case '<=':
      return isTime ? 'At or before this time.' : 'At most this.'
    case '=':
      return 'Not an operator. Use a colon.'
    case '!=':
      return 'Not an operator. Put a minus before the field, and use a colon.'
  }
}

const equalities: Readonly<Record<FieldType, string>> = {
  text: 'Matches the whole value, case-insensitive.',
  pair: 'Matches a name and its value, case-insensitive.',
  duration: 'Exactly this, or within a range.',
  instant: 'Within this day, minute or second, or within a range.',
  boolean: 'Exactly this.',
  number: 'Exactly this, or within a range.',
  size: 'Exactly this, or within a range.',
}
