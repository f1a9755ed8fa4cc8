import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import { countOf, countText } from '../../../protocol/count.ts'
import type { Query } from '../../../search/tree.ts'
import { RetryFailed } from '../../data/core/queries.tsx'
import type { LookupView } from '../../data/insight/build-lookup.ts'
import { Notice } from '../../ui/notice.tsx'
import { allText, basedText, matchText } from './insight-sentence.ts'
import { BusyUntil, ProgressLine, searchNotes, SearchNotices } from './search-notices.tsx'
import { faultOf, isComplete } from './search-sentence.ts'
import { type Insight, stepOf } from './use-insight.ts'

/** On how many builds a view, or `what` of it, rests, and the ways to read on or to stop. */
export function InsightProgress({
  insight,
  what,
}: {
  insight: Insight
  what?: string | undefined
}): ReactElement | null {
  const { list, search, more, view } = insight
  const { found, unsure } = list
  const state = list.state
  switch (state.is) {
    case 'idle':
      return null
    case 'reading':
      return (
        <ProgressLine steps={[['Stop', search.cancel]]} isBusy>
          {`${basedText(countOf(view.builds, 'build'), what)} so far, reading more…`}
        </ProgressLine>
      )
    case 'waiting':
      return (
        <ProgressLine steps={[['Stop', search.cancel]]} isBusy>
          {`${basedText(countOf(view.builds, 'build'), what)} so far. `}
          <BusyUntil until={state.until} />
        </ProgressLine>
      )
    case 'resting':
      return (
        <ProgressLine steps={[[`Read ${countText(stepOf(list))} more`, more]]}>
          {`${basedText(`the newest ${countOf(found.length, 'build')} ${matchText(found.length, unsure)}`, what)}. There may be more.`}
        </ProgressLine>
      )
    case 'cancelled':
      return (
        <ProgressLine
          steps={[['Continue', more]]}
        >{`Stopped. ${basedText(countOf(view.builds, 'build'), what)}.`}</ProgressLine>
      )
    case 'failed':
    case 'refused':
      return (
        <ProgressLine>{`${basedText(countOf(view.builds, 'build'), what)}, not complete.`}</ProgressLine>
      )
    case 'done':
      return (
        <ProgressLine>
          {!isComplete(list)
            ? `${basedText(countOf(found.length, 'build'), what)}, not complete.`
            : found.length > 0 && `${basedText(allText(found.length, unsure), what)}.`}
        </ProgressLine>
      )
  }
}

/** The same of the time before that a view is compared with, while that is of interest. */
export function EarlierProgress({
  insight,
  budget,
}: {
  insight: Insight
  budget: LookupBudget
}): ReactElement | null {
  const { list, search, more, view } = insight
  const count = countOf(list.found.length, 'build')
  switch (list.state.is) {
    case 'idle':
    case 'done':
    case 'refused':
      return (
        <>
          {list.state.is === 'done' && !isComplete(list) && (
            <ProgressLine>{`Time before: ${count}, not complete.`}</ProgressLine>
          )}
          <EarlierCaches insight={insight} budget={budget} />
        </>
      )
    case 'reading':
    case 'waiting':
      return (
        <ProgressLine steps={[['Stop', search.cancel]]} isBusy>
          {`Time before: ${countOf(view.builds, 'build')} so far, reading more…`}
        </ProgressLine>
      )
    case 'resting':
      return (
        <>
          <ProgressLine steps={[[`Read ${countText(stepOf(list))} more`, more]]}>
            {`Time before: newest ${count}. There may be more.`}
          </ProgressLine>
          <EarlierCaches insight={insight} budget={budget} />
        </>
      )
    case 'cancelled':
      return (
        <ProgressLine
          steps={[['Continue', more]]}
        >{`Time before: stopped at ${count}.`}</ProgressLine>
      )
    case 'failed':
      return (
        <>
          <ProgressLine
            steps={[['Try again', search.retry]]}
          >{`Time before: ${count}, not complete.`}</ProgressLine>
          <RetryFailed fault={faultOf(list)} of={search} retry={search.retry} />
        </>
      )
  }
}

/** What is read of single builds of the time before can be stopped or tried again, and needs no more words. */
function EarlierCaches({
  insight: { insight, view },
  budget,
}: {
  insight: Insight
  budget: LookupBudget
}): ReactElement | null {
  const { all, known, state } = view.caches
  const read = `Time before: build cache results of ${countText(known)} of ${countOf(all, 'build')} read`
  const again = (): void => {
    insight.readCaches(budget.most)
  }
  switch (state.is) {
    case 'reading':
    case 'waiting':
      return (
        <ProgressLine steps={[['Stop', insight.cancelCaches]]} isBusy>
          {`${read}…`}
        </ProgressLine>
      )
    case 'failed':
      return (
        <>
          <ProgressLine steps={[['Try again', again]]}>{`${read}, not complete.`}</ProgressLine>
          <RetryFailed fault={state.problem} of={insight.readCaches} retry={again} />
        </>
      )
    case 'resting':
    case 'cancelled':
    case 'unavailable':
      return null
  }
}

/** What has to be known of what was read, and what went wrong. */
export function InsightNotices({
  insight: { list, search, insight, view },
  query,
}: {
  insight: Insight
  query: Query
}): ReactElement {
  return (
    <>
      <RetryFailed fault={faultOf(list)} of={search} retry={search.retry} />
      <SearchNotices
        notes={searchNotes(list, query.root !== undefined, undefined)}
        view={list}
        search={search}
      />
      <RetryFailed fault={view.fault} of={insight} retry={insight.restart} />
      {view.fault !== undefined && (
        <Notice tone="bad" role="alert" action={<Again onClick={insight.restart} />}>
          {`Builds aren't counted any more. ${view.fault.message}`}
        </Notice>
      )}
    </>
  )
}

/** How many builds are looked up at most, and how many more are then. */
export interface LookupBudget {
  readonly most: number
  readonly step: number
  readonly onMore: () => void
}

/** How far the reading of failures has come. */
export function FailuresProgress({
  insight: { insight, view },
  budget,
}: {
  insight: Insight
  budget: LookupBudget
}): ReactElement | null {
  const { all, known } = view.failures
  return (
    <LookupProgress
      view={view.failures}
      read={`Failures of ${countText(known)} of ${countOf(all, 'failed build')} read`}
      order="the newest first"
      absence="Failures can't be read from this build server: "
      budget={budget}
      onRead={insight.readFailures}
      onCancel={insight.cancelFailures}
    />
  )
}

/** How far the reading of what came from the build cache has come. */
export function CachesProgress({
  insight: { insight, view },
  budget,
}: {
  insight: Insight
  budget: LookupBudget
}): ReactElement | null {
  const { all, known } = view.caches
  return (
    <LookupProgress
      view={view.caches}
      read={`Build cache results of ${countText(known)} of ${countOf(all, 'build')} read`}
      order="spread over the time"
      absence="Cache hit rate isn't known: "
      budget={budget}
      onRead={insight.readCaches}
      onCancel={insight.cancelCaches}
    />
  )
}

function LookupProgress({
  view: { all, known, unreadable, state },
  read,
  order,
  absence,
  budget,
  onRead,
  onCancel,
}: {
  view: LookupView
  /** What was read so far. */
  read: string
  /** In which order builds are read, where not all were. */
  order: string
  absence: string
  budget: LookupBudget
  onRead: (most: number) => void
  onCancel: () => void
}): ReactElement | null {
  if (all === 0) return null
  const missing = unreadable === 0 ? '' : `, ${countText(unreadable)} of them couldn't be read`
  const again = (): void => {
    onRead(budget.most)
  }
  switch (state.is) {
    case 'reading':
      return (
        <ProgressLine steps={[['Stop', onCancel]]} isBusy>
          {`${read}${missing}…`}
        </ProgressLine>
      )
    case 'waiting':
      return (
        <ProgressLine steps={[['Stop', onCancel]]} isBusy>
          {`${read}. `}
          <BusyUntil until={state.until} />
        </ProgressLine>
      )
    case 'cancelled':
    case 'resting':
      if (known >= all) {
        const steps = unreadable === 0 ? [] : ([['Try again', again]] as const)
        return <ProgressLine steps={steps}>{`${read}${missing}.`}</ProgressLine>
      }
      return state.is === 'cancelled' ? (
        <ProgressLine steps={[['Continue', again]]}>{`${read}, stopped.`}</ProgressLine>
      ) : (
        <ProgressLine steps={[[`Read ${countText(budget.step)} more`, budget.onMore]]}>
          {`${read}, ${order}${missing}.`}
        </ProgressLine>
      )
    case 'failed':
      return (
        <>
          <Notice tone="bad" role="alert" action={<Again onClick={again} />}>
            {`${state.problem.sentence} ${read}.`}
          </Notice>
          <RetryFailed fault={state.problem} of={onRead} retry={again} />
        </>
      )
    case 'unavailable':
      return <Notice action={<Again onClick={again} />}>{`${absence}${state.reason}`}</Notice>
  }
}

function Again({ onClick }: { onClick: () => void }): ReactElement {
  return (
    <Button size="compact-xs" variant="default" onClick={onClick}>
      Try again
    </Button>
  )
}
