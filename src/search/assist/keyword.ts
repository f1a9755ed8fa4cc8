import type { Query, Span } from '../tree.ts'
import type { Place } from './place.ts'

export type Keyword = 'and' | 'or' | 'not'

/** The `and`, `or` or `not` that the position touches, if one is there. */
export function keywordAt(query: Query, place: Place, pos: number): Span | undefined {
  return keywordsAround(query, place).find(({ from, to }) => from <= pos && pos <= to)
}

/** The keywords that can stand at `from`, where a part of the query begins. */
export function keywordsAt(query: Query, place: Place, from: number): readonly Keyword[] {
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
