import type { FilterTree } from './filter-tree.ts'
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
