import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import { actionsQuery } from '../../data/scans/evaluation-history.ts'
import { useRequest } from '../../data/core/request-context.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { packageText } from '../../domain/package/package-words.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import css from './action-activity.module.css'
import page from './history-page.module.css'
import { HistoryTrouble } from './history-trouble.tsx'

/** What people did through the proxy: published, waived, ended a waiver, and whatever else it audits. */
export function ActionActivity({ subject }: { subject: string }): ReactElement {
  const query = useInfiniteQuery(actionsQuery(useRequest(), subject))
  const actions = query.data?.pages.flatMap(({ actions: some }) => some) ?? []
  return (
    <>
      {query.isError && (
        <HistoryTrouble
          what="The audited actions"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && <p className={page.dim}>Reading…</p>}
      {query.isSuccess && actions.length === 0 && (
        <EmptyState title="Nothing was done yet.">
          <p>
            Publishing attestations and giving or ending waivers is written down here, with who did
            it and when.
          </p>
        </EmptyState>
      )}
      {actions.length > 0 && (
        <ol className={css.list}>
          {actions.map(({ id, at, by, action, subject: of, detail }) => (
            <li key={id} className={css.row} data-action={action}>
              <span className={css.by}>{by}</span>
              <span className={css.detail}>{detail}</span>
              <span className={css.subject}>{subjectText(of)}</span>
              <RelativeTime at={at} />
            </li>
          ))}
        </ol>
      )}
      {query.hasNextPage && (
        <button
          type="button"
          className={page.more}
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {query.isFetchingNextPage ? 'Reading…' : 'Show older actions'}
        </button>
      )}
    </>
  )
}

function subjectText(subject: string): string {
  const read = subject.startsWith('/packages/') ? readPackageReference(subject) : undefined
  return read?.ok === true ? packageText(read.reference.address) : subject
}
