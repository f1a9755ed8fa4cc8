import type { Facts } from '../../../protocol/facts.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import { type ListAbility, untriedAbility } from './build-list-ability.ts'

/** Whether a build matches a query, as far as its facts tell. */
export type Verdict = 'yes' | 'no' | 'unknown'

/** What is searched for. */
export interface BuildQuestion {
  /** In the search language, times with their zones, as a server is to get it; undefined: all. */
  readonly query: string | undefined
  /** The same, answered here. */
  readonly verdict: (facts: Facts) => Verdict
  /** Epoch ms: no build that started before this matches. */
  readonly from?: number
}

/** A build that was found. */
export interface FoundBuild {
  readonly facts: Facts
  /**
   * `unknown` where the server does not search and the facts do not tell; of a server that
   * searches it is always `yes`.
   */
  readonly verdict: 'yes' | 'unknown'
}

/** How far a search has come; times are epoch ms by this browser's clock. */
export type SearchState =
  /** Nobody has asked for anything yet. */
  | { readonly is: 'idle' }
  | { readonly is: 'reading' }
  /** The server was busy; asked again at `until`. */
  | { readonly is: 'waiting'; readonly until: number; readonly reason: string }
  /** As much was found as was asked for; there may be more. */
  | { readonly is: 'resting' }
  /** Stopped by the reader. */
  | { readonly is: 'cancelled' }
  /** The end of the list. With a note where it ended otherwise than by an empty page. */
  | { readonly is: 'done'; readonly note?: string }
  /** The server does not accept the query. */
  | { readonly is: 'refused'; readonly problem: ProblemError }
  /** A page could not be had; what was found before it stays. */
  | { readonly is: 'failed'; readonly problem: ProblemError }

/** A search at one moment; replaced as a whole when anything changes. */
export interface BuildSearchView {
  readonly state: SearchState
  /** In the order of the list, `ability.order`. */
  readonly found: readonly FoundBuild[]
  /** How many builds the server has given, matching or not. */
  readonly read: number
  /** How many of those found cannot be told to match. */
  readonly untold: number
  /** How many the server says to match though what is known of them says they do not. */
  readonly disputed: number
  /** Elements of the list that were no builds. */
  readonly malformed: number
  /** When the last build that was read was received, epoch ms. */
  readonly reached: number | undefined
  readonly ability: ListAbility
  /** How many builds are asked for at once. */
  readonly pageSize: number
}

/** A search of the build list, as a store outside React. */
export interface BuildSearch {
  /** The first listener starts it; a while after the last one left it stands still. */
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => BuildSearchView
  /** Goes on until 100 more are found, the end is reached, or too much was read in vain. */
  readonly more: () => void
  /** Goes on to the end. */
  readonly all: () => void
  /** Asks again for the page that could not be had, and goes on as far as was wanted. */
  readonly retry: () => void
  readonly cancel: () => void
}

/** Whether builds are told apart here, as the server does not. */
export function isFilteredHere({ ability }: Pick<BuildSearchView, 'ability'>): boolean {
  return ability.search === 'refused' || ability.search === 'ignored'
}

/** Before anything was asked; pages of `pageSize` builds will be. */
export function searchAtRest(pageSize: number): BuildSearchView {
  return {
    state: { is: 'idle' },
    found: [],
    read: 0,
    untold: 0,
    disputed: 0,
    malformed: 0,
    reached: undefined,
    ability: untriedAbility,
    pageSize,
  }
}

const nothing = searchAtRest(0)

/** In place of a search where there is nothing that could be asked. */
export const noSearch: BuildSearch = {
  subscribe: () => () => undefined,
  getSnapshot: () => nothing,
  more: () => undefined,
  all: () => undefined,
  retry: () => undefined,
  cancel: () => undefined,
}
