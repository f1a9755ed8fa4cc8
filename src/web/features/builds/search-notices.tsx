import { Button, Group, Loader, Skeleton, Stack } from '@mantine/core'
import type { ReactElement, ReactNode } from 'react'
import { countOf, countText } from '../../../protocol/count.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import type { BuildSearch, BuildSearchView } from '../../data/builds/build-search.ts'
import {
  problemDetail,
  problemWords,
  refusalKind,
  retrySentence,
  noBuildList,
} from '../../data/core/problem-words.ts'
import { durationText } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { EmptyState } from '../../ui/page.tsx'
import { ProblemPanel, type ProblemText } from '../../ui/problem.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import layout from '../../ui/page.module.css'
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
    <Stack gap={4} flex="none">
      {refusal !== undefined && (
        <Notice tone="bad" role="alert">
          {refusalText(refusal)}
        </Notice>
      )}
      {failure !== undefined && (
        <Notice
          tone="bad"
          role="alert"
          action={
            <Button size="compact-xs" variant="default" onClick={search.retry}>
              Try again
            </Button>
          }
        >
          {`${failure.title} ${failure.meaning} Earlier results are still shown.`}
        </Notice>
      )}
      {notes.length > 0 && (
        <Notice>
          {first}
          {others.length > 0 && (
            <details>
              <summary>More about this list</summary>
              {others.join(' ')}
            </details>
          )}
        </Notice>
      )}
    </Stack>
  )
}

/** Who does not accept the query, and why. */
function refusalText({ message, problem: { type } }: ProblemError): string {
  return type.endsWith(':query-too-long') ? message : `Response of the build server: ${message}`
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
  /** Whether the query of the address has errors, so that nothing was requested. */
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
      <EmptyState title="Fix the query and run it again." action={showAll}>
        <p>The problems and their fixes are listed below the query.</p>
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
          <p>The reason is shown above.</p>
        </EmptyState>
      )
    case 'idle':
    case 'reading':
    case 'waiting':
      return <WaitingLines label="Searching" count={12} />
    case 'resting':
    case 'cancelled':
      return (
        <EmptyState
          title={read === 0 ? 'No builds loaded.' : `No match in ${countOf(read, 'build')} so far.`}
          action={
            <Button size="xs" variant="default" onClick={search.more}>
              Load more
            </Button>
          }
        >
          <p>
            {isFilteredHere(view)
              ? "The server can't search, and its list has more builds."
              : 'The search was stopped.'}
          </p>
        </EmptyState>
      )
    case 'done':
      if (state.note !== undefined) {
        return (
          <EmptyState title="The list isn't complete.">
            <p>{state.note}</p>
          </EmptyState>
        )
      }
      return isNarrowed ? (
        <EmptyState title="Remove a part of the query, or search further back." action={showAll}>
          <p>Each part of the query excludes builds. You can remove parts above.</p>
        </EmptyState>
      ) : (
        <EmptyState title="No builds yet.">
          <p>Builds appear here once the build server has received them.</p>
        </EmptyState>
      )
  }
}

/** In place of a list while nothing of it is there: on a first load only, as what is here stays later. */
export function WaitingLines({ label, count }: { label: string; count: number }): ReactElement {
  return (
    <div className={layout.skeletons} role="status" aria-label={label}>
      {Array.from({ length: count }, (_, index) => (
        <Skeleton key={index} height={16} />
      ))}
    </div>
  )
}

/** How far something has come, with what can be done about it; `isBusy` while more is read. */
export function ProgressLine({
  steps = [],
  isBusy = false,
  children,
}: {
  steps?: readonly (readonly [label: string, run: () => void])[]
  isBusy?: boolean
  children: ReactNode
}): ReactElement {
  return (
    <Group gap="0 8px" mih={24} fz="xs" c="dimmed" style={{ fontVariantNumeric: 'tabular-nums' }}>
      <span>
        {isBusy && <Loader size={10} mr={6} />}
        {children}
      </span>
      {steps.map(([label, run]) => (
        <Button key={label} size="compact-xs" variant="subtle" onClick={run}>
          {label}
        </Button>
      ))}
    </Group>
  )
}

/** That the build server is busy, until when (epoch ms). */
export function BusyUntil({ until }: { until: number }): ReactElement {
  const left = useDerivedFromNow((now) => durationText(Math.max(0, until - now)))
  return <span>{`The build server is busy. Retrying in ${left}.`}</span>
}

/** Why no more builds can be shown: what it means for the reader, and the next step. */
export function searchFailure(fault: ProblemError): ProblemText {
  const { status, problem } = fault
  const detail = problemDetail(fault)
  if (problem.type.endsWith(':upstream-auth')) {
    const isForbidden = problem.upstreamStatus === 403
    return {
      title: isForbidden
        ? "Sightline isn't allowed to list builds."
        : "The build server rejects Sightline's credentials.",
      meaning: isForbidden
        ? "Sightline's user lacks the permission “Access build data via the API”. Ask an administrator of the build server."
        : fault.message,
      detail,
    }
  }
  if (['unheard', 'own'].includes(refusalKind(fault))) {
    return problemWords(fault, { action: 'load', noun: 'builds', server: 'build server' })
  }
  switch (status) {
    case 401:
      return { title: 'You are signed out.', meaning: fault.message, detail }
    case 403:
      return {
        title: "You aren't allowed to list builds.",
        meaning: `${fault.message} This requires the permission “Access build data via the API”.`,
        detail,
      }
    case 404:
      return { ...noBuildList, detail }
    case 429:
    case 503:
      return {
        title: 'The build server is too busy.',
        meaning: `Sightline retried several times. ${retrySentence(fault)}`,
        detail,
      }
    case 504:
      return {
        title: 'The build server is too slow for this search.',
        meaning:
          'Even one build at a time takes too long. Narrow the query, for example with buildStartTime>-1d.',
        detail,
      }
    default:
      return {
        title: "Can't load builds right now.",
        meaning: retrySentence(fault),
        detail,
      }
  }
}

const whole = 100

const exportReasons = {
  missing:
    "has no build list, or Sightline's user lacks the permission “Access build data via the API”",
  denied:
    "denies its build list, as Sightline's user lacks the permission “Access build data via the API”",
  rejected: "rejects Sightline's credentials for its build list",
  silent: "doesn't respond to requests for its build list",
}

/**
 * What a reader has to know about what is shown: that it was filtered here and how far, what is not
 * known of it, what was left out. `reached` is how far the list was read, as a time in words.
 */
export function searchNotes(
  view: BuildSearchView,
  isNarrowed: boolean,
  reached: string | undefined,
): readonly string[] {
  const { ability, found, unsure, byEvents, disputed, malformed, state, pageSize, read } = view
  if (read === 0 && malformed === 0) return []
  const notes: string[] = []
  if (isNarrowed && isFilteredHere(view)) {
    const how =
      ability.walk === 'export'
        ? 'has no build list that can be searched'
        : ability.search === 'refused'
          ? 'refuses searches'
          : 'ignores queries'
    const range = reached === undefined ? '' : `, back to ${reached}`
    const sure = found.length - unsure
    notes.push(
      `The build server ${how}, so Sightline filters its builds: ${countText(read)} checked${range}, ${countText(sure)} ${sure === 1 ? 'matches' : 'match'}${unsure > 0 ? ' for certain' : ''}.`,
    )
    if (unsure > 0) {
      notes.push(`${countText(unsure)} may or may not match; they are listed and marked.`)
    }
  }
  if (ability.walk === 'export') {
    const why = exportReasons[ability.fault ?? 'missing']
    notes.push(`The build server ${why}, so builds are read from its export stream.`)
  }
  const lists = ability.tools.length > 0
  if ((!lists || byEvents.all > 0) && found.some(({ facts }) => facts.outcome === undefined)) {
    notes.push(
      !lists
        ? "The build server lists no details, so Sightline reads each build's events. Those of some builds say no more."
        : 'The build server lists no details of some builds, so Sightline reads their events. Those of some say no more.',
    )
  }
  if (disputed > 0) {
    notes.push(
      disputed === 1
        ? "According to the server, 1 build of these matches, although its details here don't."
        : `According to the server, ${countText(disputed)} builds of these match, although their details here don't.`,
    )
  }
  if (malformed > 0) {
    notes.push(
      `${countOf(malformed, 'entry', 'entries')} of the list couldn't be read and ${malformed === 1 ? 'was' : 'were'} skipped.`,
    )
  }
  if (pageSize < whole) {
    notes.push(
      `The server is too slow for ${whole} builds at once, so Sightline requests ${countText(pageSize)} at a time.`,
    )
  }
  if (state.is === 'done' && state.note !== undefined) notes.push(state.note)
  return notes
}
