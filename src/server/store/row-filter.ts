import {
  allOf,
  anyOf,
  atMost,
  type BetweenCondition,
  type BuildCondition,
  type BuildFilter,
  every,
  type ExactCondition,
  type FilterTree,
  leaf,
  leavesOf,
  none,
  type TextsCondition,
} from './build-filter.ts'
import type { Database } from './database.ts'
import { endOfPrefix, longestKey, termText } from './search-terms.ts'
import { knownTerms } from './term-writing.ts'

/** A filter whose texts are the terms that are stored of them. */
export type RowFilter = FilterTree<RowCondition>

export type RowCondition =
  /** Builds with one of the terms. */
  | { readonly type: 'has'; readonly terms: readonly number[] }
  | { readonly type: 'has-not'; readonly term: number }
  | Exclude<ExactCondition, { type: 'text' }>
  | { readonly type: 'not'; readonly condition: Exclude<ExactCondition, { type: 'text' }> }
  | BetweenCondition

/** Conditions in one statement: SQLite takes expressions of up to 1,000 levels. */
const mostConditions = 100
/** How many beginnings of texts are looked up for a search, and how many texts for each. */
const mostPrefixes = 20
const mostTexts = 5000
/** How many texts may match a pattern before it is no help any more. */
const mostTerms = 200

/** Looks up the texts of a filter: a text that no build has is `none`, a vague one is `every`. */
export async function rowFilter(database: Database, filter: BuildFilter): Promise<RowFilter> {
  const conditions = leavesOf(filter)
  const ids = await knownTerms(database.kysely, database.dialect, conditions.flatMap(textOf))
  const texts = conditions.filter((condition) => condition.type === 'texts').slice(0, mostPrefixes)
  const found = new Map<BuildCondition, RowFilter>()
  for (const condition of texts) found.set(condition, await matchingTerms(database, condition))
  return atMost(resolved(filter), mostConditions)

  function resolved(part: BuildFilter): RowFilter {
    switch (part.type) {
      case 'every':
      case 'none':
        return part
      case 'and':
        return allOf(part.parts.map(resolved))
      case 'or':
        return anyOf(joined(part.parts.map(resolved)))
      case 'leaf':
        return resolvedCondition(part.leaf)
    }
  }

  function resolvedCondition(condition: BuildCondition): RowFilter {
    switch (condition.type) {
      case 'text': {
        const id = ids.get(termText(condition.kind, condition.key))
        return id === undefined ? none : leaf<RowCondition>({ type: 'has', terms: [id] })
      }
      case 'texts':
        return found.get(condition) ?? every
      case 'not': {
        const { condition: inner } = condition
        if (inner.type !== 'text') return leaf<RowCondition>({ type: 'not', condition: inner })
        const term = ids.get(termText(inner.kind, inner.key))
        return term === undefined ? every : leaf<RowCondition>({ type: 'has-not', term })
      }
      case 'tool':
      case 'outcome':
      case 'between':
        return leaf<RowCondition>(condition)
    }
  }
}

async function matchingTerms(
  { kysely }: Database,
  { kind, prefix, matches }: TextsCondition,
): Promise<RowFilter> {
  const start = termText(kind, prefix)
  const rows = await kysely
    .selectFrom('search_terms')
    .select(['id', 'text'])
    .where('text', '>=', start)
    .where('text', '<', endOfPrefix(start))
    .limit(mostTexts)
    .execute()
  if (rows.length === mostTexts) return every
  const fixed = termText(kind, '').length
  const terms = rows
    .filter(({ text }) => text.length >= longestKey || matches(text.slice(fixed)))
    .map(({ id }) => id)
  if (terms.length === 0) return none
  return terms.length > mostTerms ? every : leaf<RowCondition>({ type: 'has', terms })
}

/** Alternatives of terms become one condition. */
function joined(parts: readonly RowFilter[]): RowFilter[] {
  const terms = new Set<number>()
  const others: RowFilter[] = []
  for (const part of parts) {
    if (part.type === 'leaf' && part.leaf.type === 'has')
      for (const id of part.leaf.terms) terms.add(id)
    else others.push(part)
  }
  return terms.size === 0
    ? others
    : [leaf<RowCondition>({ type: 'has', terms: [...terms] }), ...others]
}

function textOf(condition: BuildCondition): string[] {
  const exact = condition.type === 'not' ? condition.condition : condition
  return exact.type === 'text' ? [termText(exact.kind, exact.key)] : []
}
