import type { ProblemError } from '../../../protocol/problem.ts'
import type { ListAbility } from './build-list-ability.ts'
import type { BuildSearchView, FoundBuild, SearchState } from './build-search.ts'

/** What can happen to a search. */
export type SearchHappening =
  | { readonly type: 'asked' }
  | {
      readonly type: 'page'
      readonly found: readonly FoundBuild[]
      readonly disputed: number
      readonly read: number
      readonly malformed: number
      readonly reached: number | undefined
      readonly ability: ListAbility
    }
  | { readonly type: 'waits'; readonly until: number; readonly reason: string }
  | { readonly type: 'resized'; readonly pageSize: number }
  | { readonly type: 'rested' }
  | { readonly type: 'cancelled' }
  | { readonly type: 'ended'; readonly note?: string }
  | { readonly type: 'refused'; readonly problem: ProblemError }
  | { readonly type: 'failed'; readonly problem: ProblemError }

/** The search after something happened to it. */
export function afterHappening(view: BuildSearchView, happening: SearchHappening): BuildSearchView {
  if (happening.type === 'page') {
    const { found, disputed, read, malformed, reached, ability } = happening
    return {
      ...view,
      found: found.length === 0 ? view.found : [...view.found, ...found],
      read: view.read + read,
      untold: view.untold + found.filter(({ verdict }) => verdict === 'unknown').length,
      disputed: view.disputed + disputed,
      malformed: view.malformed + malformed,
      reached: reached ?? view.reached,
      ability,
    }
  }
  const smaller = happening.type === 'resized' ? { pageSize: happening.pageSize } : {}
  return { ...view, ...smaller, state: stateAfter(happening) }
}

function stateAfter(happening: Exclude<SearchHappening, { type: 'page' }>): SearchState {
  switch (happening.type) {
    case 'asked':
    case 'resized':
      return { is: 'reading' }
    case 'waits':
      return { is: 'waiting', until: happening.until, reason: happening.reason }
    case 'rested':
      return { is: 'resting' }
    case 'cancelled':
      return { is: 'cancelled' }
    case 'ended':
      return { is: 'done', ...(happening.note === undefined ? {} : { note: happening.note }) }
    case 'refused':
      return { is: 'refused', problem: happening.problem }
    case 'failed':
      return { is: 'failed', problem: happening.problem }
  }
}
