import { conditionOf } from '../term-condition.ts'
import type { Expression, Query } from '../tree.ts'
import { conditionWords } from './condition-words.ts'
import type { Phrase } from './phrase.ts'

/** A query in normal form: negations are at the phrases, and no `and` is right inside an `and`. */
export type Clause =
  | { readonly type: 'phrase'; readonly phrase: Phrase }
  /** What cannot be read, as it was written. */
  | { readonly type: 'unreadable'; readonly text: string }
  | { readonly type: 'and' | 'or'; readonly clauses: readonly Clause[] }

/**
 * The normal form of a part of a query, or, where it is not `positive`, of its opposite: not (a and
 * b) is not a or not b. Parts in `faulty` and what has no meaning become phrases that say so.
 */
export function clauseOf(
  part: Expression,
  context: {
    readonly query: Query
    readonly faulty: ReadonlySet<Expression | undefined>
    readonly timeZone: string | undefined
  },
  positive = true,
): Clause {
  const { query, faulty, timeZone } = context
  if (!faulty.has(part)) {
    switch (part.type) {
      case 'and':
      case 'or': {
        const type = (part.type === 'and') === positive ? 'and' : 'or'
        return combined(
          type,
          part.operands.map((operand) => clauseOf(operand, context, positive)),
        )
      }
      case 'not':
        return clauseOf(part.operand, context, !positive)
      case 'group':
        if (part.inner) return clauseOf(part.inner, context, positive)
        break
      case 'term':
      case 'flag': {
        const meaning = conditionOf(part)
        if (!meaning) break
        const phrase = conditionWords(meaning.field, meaning.condition, positive, timeZone)
        return { type: 'phrase', phrase }
      }
      case 'free-text':
        break
    }
  }
  const text = query.text.slice(part.from, part.to)
  return { type: 'unreadable', text: positive ? text : `not ${text}` }
}

function combined(type: 'and' | 'or', clauses: readonly Clause[]): Clause {
  return {
    type,
    clauses: clauses.flatMap((clause) => (clause.type === type ? clause.clauses : [clause])),
  }
}
