import { Button, Text } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactElement, ReactNode } from 'react'
import { Link } from 'react-router'
import { countOf } from '../../../protocol/count.ts'
import type { EvaluationList } from '../../../protocol/evaluation.ts'
import { problemWords } from '../../data/core/problem-words.ts'
import { Notice } from '../../ui/notice.tsx'
import { ProblemPanel } from '../../ui/problem.tsx'

/** A part of the history: what is missing from it and why, its rows, and older ones on demand. */
export function HistoryList({
  query,
  noun,
  recording,
  children,
}: {
  query: UseInfiniteQueryResult
  /** What is listed, such as "evaluations". */
  noun: string
  recording?: EvaluationList['recording'] | undefined
  children: ReactNode
}): ReactElement {
  return (
    <>
      {recording !== undefined && <RecordingNotice recording={recording} />}
      {query.isError && (
        <ProblemPanel
          problem={problemWords(query.error, {
            action: 'show',
            noun: `recorded ${noun}`,
            server: 'Sightline server',
          })}
          retry={{ label: 'Try again', run: query.refetch }}
        />
      )}
      {query.isPending && <Text c="dimmed">Loading {noun}…</Text>}
      {children}
      {query.hasNextPage && (
        <Button
          variant="default"
          style={{ alignSelf: 'start' }}
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {query.isFetchingNextPage ? 'Loading…' : `Show older ${noun}`}
        </Button>
      )}
    </>
  )
}

/** Which of two views of the page is shown: links, so that each has an address. */
export function ViewChoice({
  label,
  views,
}: {
  label: string
  views: readonly { readonly to: string; readonly name: string; readonly isShown: boolean }[]
}): ReactElement {
  return (
    <nav aria-label={label}>
      <Button.Group>
        {views.map(({ to, name, isShown }) => (
          <Button
            key={name}
            component={Link}
            to={to}
            variant={isShown ? 'light' : 'default'}
            aria-current={isShown}
          >
            {name}
          </Button>
        ))}
      </Button.Group>
    </nav>
  )
}

/** That runs are missing from the history, and why; nothing where it is complete. */
function RecordingNotice({
  recording: { ok, lost, reason },
}: {
  recording: EvaluationList['recording']
}): ReactElement | null {
  if (ok && lost === 0) return null
  return (
    <Notice testId="recording-notice">
      {ok
        ? 'Evaluations are being recorded again.'
        : `Evaluations are not being recorded: ${reason ?? "the database isn't accepting them."} Evaluating still works.`}
      {lost > 0 &&
        ` ${countOf(lost, 'evaluation is', 'evaluations are')} missing since Sightline started.`}
    </Notice>
  )
}
