import { useState } from 'react'
import type { BuildSearch, BuildSearchView } from '../../data/builds/build-search.ts'
import { useBuildSearchView } from '../../data/builds/build-searches-context.ts'

/** What is shown: an answer, or while there is none the one to the question before. */
export interface ShownAnswer {
  readonly view: BuildSearchView
  /** Whether it answers an earlier question. */
  readonly isStale: boolean
}

/** The answer to a search; what is here stays until the first page of the next one has come. */
export function useAnswer(search: BuildSearch): ShownAnswer {
  const view = useBuildSearchView(search)
  const [last, setLast] = useState<BuildSearchView>()
  if (!isBeginning(view) && view !== last) setLast(view)
  const isStale = isBeginning(view) && last !== undefined && last.found.length > 0
  return isStale ? { view: { ...last, state: view.state }, isStale } : { view, isStale: false }
}

function isBeginning({ state, read }: BuildSearchView): boolean {
  return read === 0 && ['idle', 'reading', 'waiting'].includes(state.is)
}
