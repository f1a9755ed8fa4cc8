import { Button, Stack, Text } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { type Failure, stackText } from '../../../facts/failures.ts'
import { countOf } from '../../../protocol/count.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { BuildAnswers } from '../../data/build/build-event-messages.ts'
import type { BuildEvents } from '../../data/build/build-events.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'
import { buildAddress } from './build-address.ts'
import css from './build-page.module.css'
import { stampOf, useAnswer } from './use-knowledge.ts'
import { useStore } from '../../data/core/store.ts'

/** More than these are behind a button: the first failures are most often the cause of the rest. */
const shownAtFirst = 3

/** Why a build failed. */
export function FailureList({
  failures,
  facts,
}: {
  failures: readonly Failure[]
  facts: Facts | undefined
}): ReactElement | null {
  const [isAll, setAll] = useState(false)
  if (failures.length === 0) {
    // Only once the events are there and have no reason.
    return facts?.outcome === 'failed' && facts.startTime !== undefined ? (
      <Stack component="section" gap={8} aria-label="Why it failed">
        <Text c="dimmed">The build failed. Its events don't say why.</Text>
      </Stack>
    ) : null
  }
  const shown = isAll ? failures : failures.slice(0, shownAtFirst)
  return (
    <Stack component="section" gap={8} aria-label="Why it failed">
      {shown.map((failure) => (
        <FailureCard key={failure.id} failure={failure} />
      ))}
      {shown.length < failures.length && (
        <Button
          size="compact-sm"
          variant="subtle"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => {
            setAll(true)
          }}
        >
          {`Show ${countOf(failures.length - shown.length, 'more failure')}`}
        </Button>
      )}
    </Stack>
  )
}

/** One failure: where, the message of the innermost cause, and the whole text on demand. */
function FailureCard({
  failure,
  name,
}: {
  failure: Failure
  /** What failed, where a better name than the failure's is known. */
  name?: string | undefined
}): ReactElement {
  const { path, exceptions } = failure
  const messages = distinctMessages(failure)
  const cause = exceptions.at(-1)
  return (
    <article className={css.failure}>
      <h2 className={css.failureTitle}>
        <StatusShape tone="bad" />
        {name ?? path ?? cause?.className ?? 'Failure'}
        {(name ?? path) !== null && (
          <Text span fz="xs" c="dimmed" fw={400}>
            {cause?.className}
          </Text>
        )}
        <CopyButton text={stackText(failure)} what="failure text" />
      </h2>
      {messages.map((message) => (
        <pre key={message} className={css.message}>
          {message}
        </pre>
      ))}
      <details className={css.stack}>
        <summary>{`Stack trace, ${countOf(exceptions.length, 'exception')}`}</summary>
        <pre>{stackText(failure)}</pre>
      </details>
    </article>
  )
}

/** The messages of its exceptions, each once, without those that only repeat a cause. */
function distinctMessages({ exceptions }: Failure): readonly string[] {
  const messages = exceptions.map(({ message }) => message?.trim() ?? '')
  const distinct = [...new Set(messages)].filter((message) => message !== '')
  return distinct.filter(
    (message) => !distinct.some((other) => other !== message && other.includes(message)),
  )
}

/** Why one execution failed, if the events have it; `name` is what it is called. */
export function FailureOf({
  events,
  id,
  name,
}: {
  events: BuildEvents
  id: string
  name?: string
}): ReactElement | null {
  const view = useStore(events)
  const { data } = useAnswer(events, { kind: 'failure', id }, stampOf(view.parts.header))
  if (data === undefined) return null
  if (data === null) return <p>{name} failed. Its events contain no exception.</p>
  return <FailureCard failure={data} name={name} />
}

/** The first tests that failed, with their messages: most often they are why the build failed. */
export function FailedTests({
  events,
  failed,
}: {
  events: BuildEvents
  failed: BuildAnswers['tests'] | undefined
}): ReactElement | null {
  const [search] = useSearchParams()
  if (failed === undefined || failed.total === 0) return null
  const all = buildAddress.update(search, { tab: 'tests', cases: ['failed'], search: '' })
  return (
    <Stack component="section" gap={8} aria-label="Failed tests">
      {failed.rows.flatMap(({ className, name, runs }) => {
        const run = runs.find(({ failureId }) => failureId !== null)
        const path = [className, name].filter((word) => word !== null).join(' ')
        return run?.failureId
          ? [<FailureOf key={run.id} events={events} id={run.failureId} name={path} />]
          : []
      })}
      {failed.total > failed.rows.length && (
        <Link to={{ search: all.toString() }}>{`All ${countOf(failed.total, 'failed test')}`}</Link>
      )}
    </Stack>
  )
}
