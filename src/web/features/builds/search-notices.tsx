import { Button, Skeleton } from '@mantine/core'
import type { ReactElement } from 'react'
import { countOf, countText } from '../../../protocol/count.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import type { BuildSearch, BuildSearchView } from '../../data/builds/build-search.ts'
import { problemDetail } from '../../data/core/problem-words.ts'
import { EmptyState } from '../../ui/page.tsx'
import { ProblemPanel, type ProblemText } from '../../ui/problem.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'
import css from './builds.module.css'
import { isFilteredHere } from '../../data/builds/build-list-reader.ts'

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

/** What stands in place of the list while it has no row. */
export function NothingFound({
  view,
  search,
  isFaulty,
  isNarrowed,
  onShowAll,
}: {
  view: BuildSearchView
  search: BuildSearch
  /** Whether the query of the address has errors, so that nothing was asked. */
  isFaulty: boolean
  isNarrowed: boolean
  onShowAll: () => void
}): ReactElement {
  const { state, read } = view
  const showAll = (
    <Button size="xs" variant="default" onClick={onShowAll}>
      Show all builds
    </Button>
  )
  if (isFaulty) {
    return (
      <EmptyState title="Mend the query and run it again." action={showAll}>
        <p>What is wrong, and what to write instead, is said below it.</p>
      </EmptyState>
    )
  }
  switch (state.is) {
    case 'failed':
      return (
        <ProblemPanel
          problem={searchFailure(state.problem)}
          retry={{ label: 'Try again', run: search.retry }}
        />
      )
    case 'refused':
      return (
        <EmptyState title="Change the query and run it again." action={showAll}>
          <p>What the server says of it stands above.</p>
        </EmptyState>
      )
    case 'idle':
    case 'reading':
    case 'waiting':
      return <Searching />
    case 'resting':
    case 'cancelled':
      return (
        <EmptyState
          title={`None of the ${countOf(read, 'build')} read so far matches.`}
          action={
            <Button size="xs" variant="default" onClick={search.more}>
              Read on
            </Button>
          }
        >
          <p>The server does not search by itself, and its list goes on.</p>
        </EmptyState>
      )
    case 'done':
      return isNarrowed ? (
        <EmptyState title="Ask for less, or look further back." action={showAll}>
          <p>Each part of the query leaves builds out; above, each can be taken off.</p>
        </EmptyState>
      ) : (
        <EmptyState title="No builds yet.">
          <p>Builds appear here once the build server has received some.</p>
        </EmptyState>
      )
  }
}

/** Only on a first load: later, what is here stays. */
function Searching(): ReactElement {
  return (
    <div className={css.skeletons} role="status" aria-label="Searching">
      {Array.from({ length: 12 }, (_, index) => (
        <Skeleton key={index} height={16} />
      ))}
    </div>
  )
}

/** Why no more builds can be shown: what it means for the reader, and the next step. */
function searchFailure(fault: ProblemError): ProblemText {
  const { status, problem } = fault
  const detail = problemDetail(fault)
  if (problem.type.endsWith(':upstream-auth')) {
    const isForbidden = problem.upstreamStatus === 403
    return {
      title: isForbidden
        ? 'The proxy may not list builds.'
        : 'The build server refuses the credential of the proxy.',
      meaning: isForbidden
        ? 'The user that the proxy works as lacks the permission “Access build data via the API”. Ask whoever administers the build server for it.'
        : fault.message,
      detail,
    }
  }
  switch (status) {
    case 401:
      return { title: 'You are signed out.', meaning: fault.message, detail }
    case 403:
      return {
        title: 'You may not list builds.',
        meaning: `${fault.message} The permission for it is called “Access build data via the API”.`,
        detail,
      }
    case 404:
      return {
        title: 'This build server has no list of builds.',
        meaning:
          'It does not answer /api/builds, or hides it from the user that the proxy works as, who may lack the permission “Access build data via the API”. The live feed works without it.',
        detail,
      }
    case 429:
    case 503:
      return {
        title: 'The build server is too busy.',
        meaning: `${fault.message} It was asked several times, with pauses. Nothing is lost by trying again later.`,
        detail,
      }
    case 504:
      return {
        title: 'The build server is too slow for this search.',
        meaning:
          'Even one build at a time takes it too long. Narrow the query, above all its time: buildStartTime>-1d.',
        detail,
      }
    default:
      return {
        title: "Can't load builds right now.",
        meaning: `${fault.message} Nothing is lost by trying again.`,
        detail,
      }
  }
}

const whole = 100

/**
 * What a reader has to know about what is shown: that it was filtered here and how far, what is not
 * known of it, what was left out. `reached` is how far the list was read, as a time in words.
 */
export function searchNotes(
  view: BuildSearchView,
  isNarrowed: boolean,
  reached: string | undefined,
): readonly string[] {
  const { ability, found, untold, disputed, malformed, state, pageSize, read } = view
  if (read === 0 && malformed === 0) return []
  const isOldest = ability.order === 'oldest-first'
  const hasAttributes = ability.tools.length > 0
  const notes: string[] = []
  if (isNarrowed && isFilteredHere(view)) {
    const how = ability.search === 'refused' ? 'refuses searches' : 'takes no notice of searches'
    const range = reached === undefined ? '' : `, ${isOldest ? 'up' : 'back'} to ${reached}`
    const told = found.length - untold
    notes.push(
      `The build server ${how}, so this page filters the builds it lists: ${countText(read)} read${range}, ${countText(told)} ${told === 1 ? 'matches' : 'match'}.`,
    )
    if (untold > 0) {
      notes.push(
        `Of ${countText(untold)} it cannot be told whether they match; they are listed and marked.`,
      )
    }
  }
  if (!hasAttributes) {
    notes.push(
      'The build server tells only the tool, its version and the time of builds in its list; the other columns hold what the live feed knows.',
    )
  }
  if (isOldest) notes.push('It lists the oldest builds first, and so does this page.')
  if (disputed > 0) {
    notes.push(
      `The server says that ${countOf(disputed, 'build')} of these match, though by what is known of them here they do not.`,
    )
  }
  if (malformed > 0) {
    notes.push(
      `${countOf(malformed, 'entry', 'entries')} of the list could not be read and ${malformed === 1 ? 'was' : 'were'} skipped.`,
    )
  }
  if (pageSize < whole) {
    notes.push(
      `The server is too slow for ${whole} builds at once and is asked for ${countText(pageSize)} at a time.`,
    )
  }
  if (state.is === 'done' && state.note !== undefined) notes.push(state.note)
  return notes
}
