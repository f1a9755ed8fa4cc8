import { Box, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactElement, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { toolName } from '../../../protocol/build-tool.ts'
import type { FailedTestCases } from '../../../facts/build-report.ts'
import { type Failure, stackText } from '../../../facts/failures.ts'
import { fullTestName } from '../../../protocol/test-insight.ts'
import { countOf } from '../../../protocol/count.ts'
import type { BuildEvents } from '../../data/build/build-events.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'
import { buildAddress } from './build-address.ts'
import { knownTools } from './part-notice.tsx'
import type { PartState } from '../../data/build/build-part-loader.ts'
import layout from '../../ui/page.module.css'
import css from './build-page.module.css'
import { type Knowledge, stampOf, useAnswer } from './use-knowledge.ts'
import { useStore } from '../../data/core/store.ts'

/** More than these are behind a button: the first failures are most often the cause of the rest. */
const shownAtFirst = 3

/** Why a build failed; the trace of the first is open, unless that of a failed test stands above. */
export function FailureList({
  knowledge,
  part,
}: {
  knowledge: Knowledge
  /** How the reading of the events stands that say why. */
  part: PartState
}): ReactElement | null {
  const [isAll, setAll] = useState(false)
  const { facts, header } = knowledge
  const failures = header?.failures ?? []
  if (failures.length === 0) {
    // Only once it is known when it ran.
    if (facts?.outcome !== 'failed' || facts.startTime === undefined) return null
    const { message = '' } = facts.failure ?? {}
    return (
      <Stack component="section" gap={8} aria-label="Why it failed">
        {message !== '' && <Box component="pre">{message}</Box>}
        <Text c="dimmed">
          {message === '' ? unknownCauseText(facts.buildTool, part) : 'Its log may say more.'}
        </Text>
      </Stack>
    )
  }
  const shown = isAll ? failures : failures.slice(0, shownAtFirst)
  const hasTest = (knowledge.failedTests?.total ?? 0) > 0 || awaitsTests(knowledge)
  return (
    <Stack component="section" gap={8} aria-label="Why it failed">
      {shown.map((failure, index) => (
        <FailureCard key={failure.id} failure={failure} isOpen={index === 0 && !hasTest} />
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

/** Why no reason of a failed build is known: it gives none, or its events aren't all there. */
export function unknownCauseText(tool: string, part: PartState): string {
  const unknown = 'Why it failed is unknown:'
  if (knownTools.includes(tool)) {
    if (part.state === 'refused') return `${unknown} its events couldn't be loaded.`
    if (part.state !== 'complete') return `${unknown} not all of its events are loaded.`
    if (part.malformed > 0) return `${unknown} not all of its events could be read.`
  }
  return `This ${toolName(tool)} build doesn't say why it failed. Its log may.`
}

/** One failure: where, the message of the innermost cause, and the whole text on demand. */
export function FailureCard({
  failure,
  name,
  note,
  isOpen = false,
}: {
  failure: Failure
  /** What is to be said of it in a few words. */
  note?: string
  /** Whether the whole text is there at first. */
  isOpen?: boolean
  /** What failed, where a better name than the failure's is known. */
  name?: string | undefined
}): ReactElement {
  const { path, exceptions } = failure
  const messages = distinctMessages(failure)
  // On a phone it would push all else off the screen.
  const isWide = useMediaQuery('(min-width: 700px)', true, { getInitialValueInEffect: false })
  const cause = exceptions.at(-1)
  return (
    <Stack
      component="article"
      className={layout.box}
      gap={8}
      p={12}
      style={{ borderLeft: '3px solid var(--bad)' }}
    >
      <Group
        component="h2"
        className={css.failureTitle}
        gap="4px 8px"
        m={0}
        ff="monospace"
        fz="sm"
        fw={600}
        style={{ overflowWrap: 'anywhere' }}
      >
        <Box component="span" miw={0}>
          <StatusShape tone="bad" /> {name ?? path ?? cause?.className ?? 'Failure'}
        </Box>
        {(name ?? path) !== null && (
          <Text span fz="xs" c="dimmed" fw={400}>
            {cause?.className}
          </Text>
        )}
        {note !== undefined && (
          <Text span fz="xs" fw={400}>
            {note}
          </Text>
        )}
        <CopyButton text={stackText(failure)} what="failure text" />
      </Group>
      {messages.map((message) => (
        <Box component="pre" key={message} mah="12rem">
          {message}
        </Box>
      ))}
      <Text component="details" inherit c="dimmed" className={css.stack} open={isOpen && isWide}>
        <summary>{`Stack trace, ${countOf(exceptions.length, 'exception')}`}</summary>
        {/* It scrolls, so the keyboard must reach it. */}
        <pre tabIndex={0} aria-label="Stack trace">
          {stackText(failure)}
        </pre>
      </Text>
    </Stack>
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

/** Why one execution failed, if the events have it. */
export function FailureOf({
  events,
  id,
}: {
  events: BuildEvents
  id: string
}): ReactElement | null {
  const view = useStore(events)
  const { data } = useAnswer(events, { kind: 'failure', id }, stampOf(view.parts.header))
  if (data === undefined) return null
  if (data === null) return <p>Its events contain no exception.</p>
  return <FailureCard failure={data} />
}

/**
 * The first tests that failed, with their messages: most often they are why the build failed. Where the build says
 * that some did, they have their place before they are read.
 */
export function FailedTests({ knowledge }: { knowledge: Knowledge }): ReactElement | null {
  const [search] = useSearchParams()
  const { failedTests: failed } = knowledge
  const isAwaited = awaitsTests(knowledge)
  const [isLate, setLate] = useState(false)
  if (isAwaited && !isLate) setLate(true)
  if (isAwaited) return <Skeleton h={cardHeight} aria-hidden="true" />
  if (failed === undefined || failed.total === 0) return null
  const all = buildAddress.update(search, { tab: 'tests', cases: ['failed'], search: '' })
  const names = failedTestNames(failed)
  return (
    <Stack component="section" gap={8} aria-label="Failed tests">
      {failed.rows.map(({ test, failure }, index) => {
        const name = names[index] ?? test.name
        const key = `${test.task} ${fullTestName(test)}`
        return failure === null ? (
          <p key={key}>{name} failed. Its events contain no exception.</p>
        ) : (
          <FailureCard
            key={key}
            failure={failure}
            name={name}
            // What is being read below stays where it is.
            isOpen={index === 0 && !isLate}
          />
        )
      })}
      {failed.total > failed.rows.length && (
        <Link to={{ search: all.toString() }}>{`All ${countOf(failed.total, 'failed test')}`}</Link>
      )}
    </Stack>
  )
}

/** How failed tests are named, in their order: one has its task in its name where it failed in several. */
export function failedTestNames({ rows }: Pick<FailedTestCases, 'rows'>): readonly string[] {
  const names = rows.map(({ test }) => fullTestName(test))
  const times = new Map<string, number>()
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1)
  return rows.map(({ test: { task } }, index) => {
    const name = names[index] ?? ''
    return task !== null && (times.get(name) ?? 0) > 1 ? `${name} in ${task}` : name
  })
}

/** About that of a failed test with its trace closed, px. */
const cardHeight = { base: 170, sm: 96 }

/** Whether failed tests are on their way: the build says "There were failing tests", or "There are test failures". */
export function awaitsTests({
  failedTests,
  header,
  isComplete,
}: Pick<Knowledge, 'failedTests' | 'header' | 'isComplete'>): boolean {
  if (failedTests !== undefined || isComplete) return false
  const exceptions = header?.failures.flatMap((failure) => failure.exceptions) ?? []
  return exceptions.some(({ message }) =>
    /\b(?:failing tests|test failures)\b/i.test(message ?? ''),
  )
}
