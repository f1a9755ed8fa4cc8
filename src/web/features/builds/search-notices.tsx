import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import type { BuildSearch, BuildSearchView } from '../../data/builds/build-search.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { searchFailure } from './search-failure.ts'
import css from './search-notices.module.css'

/** What has to be known about the list below, and what went wrong while it was read. */
export function SearchNotices({
  notes,
  view,
  search,
}: {
  notes: readonly string[]
  view: BuildSearchView
  search: BuildSearch
}): ReactElement | null {
  const { state, found } = view
  const failure =
    state.is === 'failed' && found.length > 0 ? searchFailure(state.problem) : undefined
  const refusal = state.is === 'refused' ? state.problem : undefined
  const [first, ...others] = notes
  if (notes.length === 0 && failure === undefined && refusal === undefined) return null
  return (
    <div className={css.notices}>
      {refusal !== undefined && (
        <p className={css.notice} data-tone="bad" role="alert">
          <StatusShape tone="bad" />
          <span>{`The build server says: ${refusal.message}`}</span>
        </p>
      )}
      {failure !== undefined && (
        <div className={css.notice} data-tone="bad" role="alert">
          <StatusShape tone="bad" />
          <span>{`${failure.title} ${failure.meaning} What was found before stays.`}</span>
          <Button size="compact-xs" variant="default" onClick={search.retry}>
            Try again
          </Button>
        </div>
      )}
      {notes.length > 0 && (
        <div className={css.notice} data-tone="waiting" role="note">
          <StatusShape tone="waiting" />
          <div>
            {first}
            {others.length > 0 && (
              <details className={css.more}>
                <summary>More about this list</summary>
                {others.join(' ')}
              </details>
            )}
          </div>
        </div>
      )}
    </div>
  )
}
