import { Box, Button, Skeleton, Stack, type StackProps } from '@mantine/core'
import type { ReactElement } from 'react'
import { toolName } from '../../../protocol/build-tool.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import type { UnreadableEvent } from '../../../facts/build-collector.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import type { BuildPart } from '../../data/build/build-event-messages.ts'
import type { BuildEvents } from '../../data/build/build-events.ts'
import { RetryFailed } from '../../data/core/queries.tsx'
import { problemDetail, retrySentence } from '../../data/core/problem-words.ts'
import { useSilence } from '../../domain/silence/silence.ts'
import { bytesText, durationText } from '../../ui/format.ts'
import { Notice as NoticeLine } from '../../ui/notice.tsx'
import { EmptyState } from '../../ui/page.tsx'
import { ProblemPanel, type ProblemText } from '../../ui/problem.tsx'
import type { StatusTone } from '../../ui/status-mark.tsx'
import { useNow } from '../../ui/time.tsx'
import type { PartState } from '../../data/build/build-part-loader.ts'

/** What is the matter with the reading of a part, and what can be done, but for how far it has come. */
export function PartNotice(props: PartNoticeProps): ReactElement | null {
  return props.state.state === 'loading' ? null : <Notice {...props} />
}

/** How far the reading of a part has come: below what is read, where nothing jumps when it is over. */
export function PartProgress(props: PartNoticeProps): ReactElement | null {
  return props.state.state === 'loading' ? <Notice {...props} /> : null
}

interface PartNoticeProps {
  readonly part: BuildPart
  readonly events: BuildEvents
  readonly state: PartState
}

function Notice({ part, events, state }: PartNoticeProps): ReactElement | null {
  const now = useNow()
  const silence = useSilence(state.state === 'loading' ? state.since : undefined, 'build server')
  const sentence = partSentence(part, state, { now, silence })
  if (sentence === undefined) return null
  const unreadable = 'unreadable' in state ? state.unreadable : []
  return (
    <NoticeLine
      tone={sentence.tone}
      action={
        sentence.action !== undefined && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              act(sentence.action)
            }}
          >
            {actionWords[sentence.action]}
          </Button>
        )
      }
    >
      {/* What counts up is not announced each time: a screen reader hears the first words of it. */}
      <span role={sentence.tone === 'info' ? undefined : 'status'}>{sentence.text}</span>
      {unreadable.length > 0 && <Unreadable events={unreadable} />}
      <RetryFailed
        fault={faultOf(state)}
        of={events}
        retry={() => {
          act('again')
        }}
      />
    </NoticeLine>
  )

  function act(action: PartSentence['action']): void {
    if (action === 'cancel') events.cancel(part)
    else if (part === 'log') events.loadLog(events.getSnapshot().logTypes)
    else events.load(part)
  }
}

/** Which messages could not be read, why, and what they are. */
function Unreadable({ events }: { events: readonly UnreadableEvent[] }): ReactElement {
  return (
    <details>
      <summary>Show</summary>
      <Box component="ol" mt={8} mb={0} pl={24} style={{ overflowWrap: 'anywhere' }}>
        {events.map((event) => (
          <li key={event.number}>
            {unreadableText(event)}
            <Box component="pre" mah="12rem" my={4}>
              {event.text}
            </Box>
          </li>
        ))}
      </Box>
    </details>
  )
}

/** "Event 17, TaskFinished: Not JSON: …" */
export function unreadableText({ number, type, reason }: UnreadableEvent): string {
  const what = number === 0 ? 'Build message' : `Event ${countText(number)}`
  return `${what}${type === null ? '' : `, ${type}`}: ${reason}.`
}

/** What a part failed with; undefined where its reader stopped it, or all is well. */
function faultOf(state: PartState): ProblemError | undefined {
  if (state.state === 'refused') return state.problem
  return state.state === 'stopped' ? (state.because ?? undefined) : undefined
}

const actionWords = { cancel: 'Cancel', 'go-on': 'Continue', again: 'Try again' }

/** How the reading of a part stands, and what its reader can do. */
interface PartSentence {
  readonly tone: StatusTone
  readonly text: string
  readonly action?: 'cancel' | 'go-on' | 'again'
}

const partWords: Readonly<Record<BuildPart, string>> = {
  header: 'build details',
  executions: 'build events',
  dependencies: 'dependencies',
  log: 'all events',
}

/** The sentence at `now` (epoch ms), with who is silent, if anybody; undefined where all is well and done. */
export function partSentence(
  part: BuildPart,
  state: PartState,
  { now, silence }: { readonly now: number; readonly silence: string },
): PartSentence | undefined {
  const what = partWords[part]
  switch (state.state) {
    case 'idle':
      return undefined
    case 'loading':
      return {
        tone: 'info',
        text: `Loading ${what}: ${amountText(state)} so far. ${silence}`.trimEnd(),
        action: 'cancel',
      }
    case 'waiting': {
      const seconds = Math.max(0, Math.ceil((state.nextAttemptAt - now) / 1000))
      const next = seconds === 0 ? 'Retrying now' : `Retrying in ${durationText(seconds * 1000)}`
      const why =
        state.problem.status === 429
          ? 'The build server limits how often Sightline may send requests.'
          : 'The build server is still storing this build or is unavailable (503).'
      return {
        tone: 'waiting',
        text: `${why} ${next} (attempt ${state.attempt}).`,
        action: 'cancel',
      }
    }
    case 'stopped': {
      const kept = `${amountText(state)} loaded.`
      const text =
        state.because === null
          ? `Loading ${what} was canceled; ${kept}`
          : `Loading ${what} was interrupted; ${kept} ${state.because.message}`
      return { tone: 'waiting', text, action: 'go-on' }
    }
    case 'refused':
      return { tone: 'bad', text: `No events: ${state.problem.message}`, action: 'again' }
    case 'complete':
      return state.malformed === 0
        ? undefined
        : { tone: 'waiting', text: `${countOf(state.malformed, 'event')} couldn't be read.` }
  }
}

function amountText({ events, bytes }: { events: number; bytes: number }): string {
  return `${countOf(events, 'event')}, ${bytesText(bytes)}`
}

/** In place of the page: nothing of the build can be had. */
export function Refusal({
  buildId,
  problem,
  events,
}: {
  buildId: string
  problem: ProblemError
  events: BuildEvents
}): ReactElement {
  const text = refusalText(buildId, problem)
  const retry = (): void => {
    events.load('header')
  }
  return (
    <>
      <RetryFailed fault={problem} of={events} retry={retry} />
      <ProblemPanel isPage problem={text} retry={{ label: 'Try again', run: retry }} />
    </>
  )
}

/** Why nothing of a build can be shown: what it means for the reader, and the next step. */
export function refusalText(buildId: string, fault: ProblemError): ProblemText {
  const { status, problem } = fault
  const detail = problemDetail(fault)
  if (status === 404) {
    return {
      title: `Can't show build ${buildId}`,
      meaning:
        "The build doesn't exist, was deleted, or Sightline's user isn't allowed to see it. Check the id, or ask an administrator of the build server.",
      detail,
    }
  }
  if (problem.type.endsWith(':version-1-only')) {
    return {
      title: `Can't load the events of build ${buildId}`,
      meaning: `${fault.message} Newer servers have them.`,
      detail,
    }
  }
  if (problem.type.endsWith(':upstream-auth')) {
    return {
      title: 'The build server denies access.',
      meaning: `${fault.message} Reading events requires the permission “Export API”.`,
      detail,
    }
  }
  return {
    title: `Can't show build ${buildId} right now.`,
    meaning: retrySentence(fault),
    detail,
  }
}

/** The tools whose events are known here. */
export const knownTools: readonly string[] = ['gradle', 'maven']

/** Where events are missing: what is, and what its reader can do. */
const missingEvents = {
  waiting: ['No events of this build yet.', 'They appear here as soon as they are available.'],
  stopped: [
    'No tasks, goals or tests in the events loaded so far.',
    'Press “Continue” to load more.',
  ],
  refused: ["The events of this build couldn't be loaded.", 'Press “Try again” to load them.'],
} as const

/** In place of what is loaded, and of as much height. */
export function LoadingLines({
  label,
  count,
  ...rest
}: Pick<StackProps, 'gap' | 'py'> & {
  label: string
  count: number
  'data-waits'?: boolean
}): ReactElement {
  return (
    <Stack gap={16} role="status" aria-label={label} {...rest}>
      {Array.from({ length: count }, (_, index) => (
        <Skeleton key={index} height={14} />
      ))}
    </Stack>
  )
}

/** In place of a list of executions, or of tests, while there are none. */
export function NoExecutions({
  part,
  facts,
}: {
  part: PartState
  facts: Facts | undefined
}): ReactElement {
  if (part.state === 'idle' || part.state === 'loading') {
    return <LoadingLines label="Loading build events" count={8} py={16} />
  }
  if (part.state !== 'complete') {
    const [title, next] = missingEvents[part.state]
    return (
      <EmptyState title={title}>
        <p>{next}</p>
      </EmptyState>
    )
  }
  if (facts !== undefined && !knownTools.includes(facts.buildTool)) {
    return (
      <EmptyState title={`No tasks or tests for ${toolName(facts.buildTool)} builds.`}>
        <p>
          {toolName(facts.buildTool)} builds publish no tasks, goals or tests. What is known of the
          build is under “Details”.
        </p>
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No tasks, goals or tests.">
      <p>The build may have ended before the first one.</p>
    </EmptyState>
  )
}
