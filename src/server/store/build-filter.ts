import type { TermKind } from './search-terms.ts'

/**
 * Which builds to look at: what a database can tell quickly of a search. A filter that is too wide
 * costs time, one that is too narrow loses builds: whoever makes one from a query says `every` for
 * all that cannot be said here.
 */
export type BuildFilter = FilterTree<BuildCondition>

export type BuildCondition =
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
export interface TextsCondition {
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
export type FilterTree<Leaf> =
  | { readonly type: 'every' | 'none' }
  | { readonly type: 'and' | 'or'; readonly parts: readonly FilterTree<Leaf>[] }
  | { readonly type: 'leaf'; readonly leaf: Leaf }

/** Holds of every build. */
export const every = { type: 'every' } as const
/** Holds of no build. */
export const none = { type: 'none' } as const

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
export function atMost<Leaf>(filter: FilterTree<Leaf>, conditions: number): FilterTree<Leaf> {
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
export function leavesOf<Leaf>(filter: FilterTree<Leaf>): Leaf[] {
  if (filter.type === 'leaf') return [filter.leaf]
  return filter.type === 'and' || filter.type === 'or' ? filter.parts.flatMap(leavesOf) : []
}

function countOf(filter: FilterTree<unknown>): number {
  return leavesOf(filter).length
}
