import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { factsFromAttributes } from '../../../facts/facts-from-attributes.ts'
import { type BuildSummary, toBuildMessage } from '../../../protocol/build-summary.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { buildSummaryQuery } from '../../data/build/build-summary.ts'
import { useRequest } from '../../data/core/request-context.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusMark, StatusShape } from '../../ui/status-mark.tsx'
import css from './build-list.module.css'
import { buildIdMistake } from './build-ids.ts'

/** Where a row stands in a list of which only a part is drawn. */
export interface RowPlace {
  readonly index: number
  readonly of: number
  /** px from the top of the list. */
  readonly top: number
  readonly measure: (row: HTMLLIElement | null) => void
}

/** One of the chosen builds, or an entry that is none, with the reason. */
export function BuildRow({
  id,
  place,
  onRemove,
}: {
  id: string
  place?: RowPlace
  onRemove: () => void
}): ReactElement {
  const mistake = buildIdMistake(id)
  return (
    <li
      className={css.row}
      data-build-id={id}
      data-wrong={mistake !== undefined}
      {...(place !== undefined && {
        ref: place.measure,
        'data-index': place.index,
        'aria-setsize': place.of,
        'aria-posinset': place.index + 1,
        style: { transform: `translateY(${place.top}px)` },
      })}
    >
      {mistake === undefined ? (
        <>
          <Link to={`/builds/${id}`} className={css.id}>
            {id}
          </Link>
          <KnownBuild id={id} />
        </>
      ) : (
        <>
          <span className={css.id}>{id}</span>
          <span className={css.wrong}>
            <StatusShape tone="bad" />
            <span>{mistake}</span>
          </span>
        </>
      )}
      <button
        type="button"
        className={css.remove}
        aria-label={`Remove ${id}`}
        onClick={({ currentTarget }) => {
          handFocusOn(currentTarget)
          onRemove()
        }}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M4 4l8 8M12 4l-8 8" />
        </svg>
      </button>
    </li>
  )
}

/** Whoever removes one by keyboard goes on at the next one, and after the last one at the field. */
function handFocusOn(button: HTMLElement): void {
  const row = button.closest('li')
  const other = row?.nextElementSibling ?? row?.previousElementSibling
  const next = other?.querySelector('button') ?? row?.closest('section')?.querySelector('textarea')
  next?.focus({ preventScroll: true })
}

/** What the build server says of it, where it says anything. */
function KnownBuild({ id }: { id: string }): ReactElement {
  const { data, error } = useQuery(buildSummaryQuery(useRequest(), id))
  if (data !== undefined) return <BuildFacts summary={data} />
  return (
    <span className={css.facts}>
      {error instanceof ProblemError && error.status === 404 && (
        <StatusMark tone="waiting" word="not known to the build server" />
      )}
    </span>
  )
}

function BuildFacts({ summary }: { summary: BuildSummary }): ReactElement {
  const facts = factsFromAttributes(toBuildMessage(summary), summary.models ?? {})
  const what = [facts.project, facts.requested?.join(' ')].filter(Boolean).join(' · ')
  return (
    <span className={css.facts}>
      {facts.outcome === 'succeeded' && <StatusMark tone="good" word="succeeded" />}
      {facts.outcome === 'failed' && <StatusMark tone="bad" word="failed" />}
      <span className={css.what}>{what === '' ? facts.buildTool : what}</span>
      <RelativeTime at={facts.startTime ?? facts.receivedAt} />
    </span>
  )
}
