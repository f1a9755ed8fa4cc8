import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { type EvaluationFilter, evaluationsQuery } from '../../data/scans/evaluation-history.ts'
import { useRequest } from '../../data/core/request-context.ts'
import { countOf } from '../../../protocol/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import type { ActivityAddress } from './activity-address.ts'
import css from './history-page.module.css'
import { HistoryTrouble } from './history-trouble.tsx'
import { RecordingNotice } from './recording-notice.tsx'
import { RunList } from './run-list.tsx'
import { stepAlone } from './run-steps.ts'

/** All evaluations that the proxy recorded, of any package. */
export function EvaluationActivity({
  filter,
  verdict,
}: {
  filter: EvaluationFilter
  verdict: ActivityAddress['verdict']
}): ReactElement {
  const query = useInfiniteQuery(evaluationsQuery(useRequest(), filter))
  const runs = query.data?.pages.flatMap(({ evaluations }) => evaluations) ?? []
  const recording = query.data?.pages[0]?.recording
  const shown = verdict === '' ? runs : runs.filter((run) => run.verdict === verdict)
  const among = `${countOf(runs.length, 'evaluation')}${query.hasNextPage ? ' so far, more' : ', all there are'}`
  return (
    <>
      {recording !== undefined && <RecordingNotice recording={recording} />}
      {query.isError && (
        <HistoryTrouble
          what="The recorded evaluations"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && <p className={css.dim}>Reading…</p>}
      {query.isSuccess && (
        <p className={css.dim} role="status">
          {verdict === '' ? `${among}.` : `${shown.length} of ${among}.`}
        </p>
      )}
      {shown.length > 0 && <RunList steps={shown.map(stepAlone)} hasPackage />}
      {query.isSuccess && shown.length === 0 && (
        <EmptyState title="No evaluation is like this.">
          <p>
            Each policy scan that somebody evaluates through this Sightline is listed here. Narrow
            less, or read on where there are older ones.
          </p>
        </EmptyState>
      )}
      {query.hasNextPage && (
        <button
          type="button"
          className={css.more}
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {query.isFetchingNextPage ? 'Reading…' : 'Show older evaluations'}
        </button>
      )}
    </>
  )
}
