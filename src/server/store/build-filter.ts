import type { Database } from './database.ts'
import { endOfPrefix, longestKey, type TermKind, termText } from './search-terms.ts'
import { knownTerms } from './term-writing.ts'

/**
 * Which builds to look at: what a database can tell quickly of a search. A filter that is too wide
 * costs time, one that is too narrow loses builds: whoever makes one from a query says `every` for
 * all that cannot be said here.
 */
export type BuildFilter = FilterTree<BuildCondition>

type BuildCondition =
  | ExactCondition
  | { readonly type: 'not'; readonly condition: ExactCondition }
  | TextsCondition
  | BetweenCondition

/** What a build has or has not, without any doubt: its opposite can be told as well. */
export type ExactCondition =
  | { readonly type: 'text'; readonly kind: TermKind; readonly key: string }
  | { readonly type: 'tool'; readonly key: string }
  | { readonly type: 'outcome'; readonly outcomes: readonly string[] }

/** A text of a kind whose key begins so and matches; cut keys count as matching. */
interface TextsCondition {
  readonly type: 'texts'
  readonly kind: TermKind
  readonly prefix: string
  readonly matches: (key: string) => boolean
}

/** A start time (epoch ms) or a duration (ms), both ends included; undefined is without end. */
export interface BetweenCondition {
  readonly type: 'between'
  readonly column: 'start_time' | 'duration_ms'
  readonly low: number | undefined
  readonly high: number | undefined
}

/** Conditions put together. */
type FilterTree<Leaf> =
  | { readonly type: 'every' | 'none' }
  | { readonly type: 'and' | 'or'; readonly parts: readonly FilterTree<Leaf>[] }
  | { readonly type: 'leaf'; readonly leaf: Leaf }

/** Holds of every build. */
export const every = { type: 'every' } as const
/** Holds of no build. */
const none = { type: 'none' } as const

/** One condition. */
export function leaf<Leaf>(condition: Leaf): FilterTree<Leaf> {
  return { type: 'leaf', leaf: condition }
}

/** Holds where all of the filters do; without parts that say nothing. */
export function allOf<Leaf>(filters: readonly FilterTree<Leaf>[]): FilterTree<Leaf> {
  const parts = filters
    .filter(({ type }) => type !== 'every')
    .flatMap((part) => (part.type === 'and' ? part.parts : [part]))
  if (parts.some(({ type }) => type === 'none')) return none
  return parts.length > 1 ? { type: 'and', parts } : (parts[0] ?? every)
}

/** Holds where one of the filters does; likewise. */
export function anyOf<Leaf>(filters: readonly FilterTree<Leaf>[]): FilterTree<Leaf> {
  const parts = filters
    .filter(({ type }) => type !== 'none')
    .flatMap((part) => (part.type === 'or' ? part.parts : [part]))
  if (parts.some(({ type }) => type === 'every')) return every
  return parts.length > 1 ? { type: 'or', parts } : (parts[0] ?? none)
}

/** A filter of at most so many conditions that holds wherever this one does. */
function atMost<Leaf>(filter: FilterTree<Leaf>, conditions: number): FilterTree<Leaf> {
  if (countOf(filter) <= conditions) return filter
  if (filter.type !== 'and') return every
  let left = conditions
  const kept = filter.parts.filter((part) => {
    const fits = countOf(part) <= left
    if (fits) left -= countOf(part)
    return fits
  })
  return allOf(kept)
}

/** Its conditions, in order. */
function leavesOf<Leaf>(filter: FilterTree<Leaf>): Leaf[] {
  if (filter.type === 'leaf') return [filter.leaf]
  return filter.type === 'and' || filter.type === 'or' ? filter.parts.flatMap(leavesOf) : []
}

function countOf(filter: FilterTree<unknown>): number {
  return leavesOf(filter).length
}

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
