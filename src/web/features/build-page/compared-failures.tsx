import { Stack } from '@mantine/core'
import type { ReactElement } from 'react'
import type { FailedTestCases } from '../../../facts/build-report.ts'
import { toolName } from '../../../protocol/build-tool.ts'
import type { Failure } from '../../../facts/failures.ts'
import { countOf } from '../../../protocol/count.ts'
import type { BuildEvents, BuildEventsView } from '../../data/build/build-events.ts'
import { Section } from '../../ui/page.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import css from './build-page.module.css'
import type { ComparedSides } from './compared-environment.tsx'
import { failedTestNames, FailureCard } from './failure-list.tsx'
import { type Knowledge, stampOf, useAnswer } from './use-knowledge.ts'

/** More of them are to be found on the pages of the builds. */
const mostShown = 5
/** Of more failed tests than these it isn't said which are new. */
const mostCompared = 1000

/** What fails now, with its message, and what failed before and no longer does. */
export function ComparedFailures({
  before,
  after,
  sides,
}: {
  before: Knowledge
  after: Knowledge
  sides: ComparedSides
}): ReactElement {
  const earlier = useFailures(before, sides.before, sides.beforeView)
  const now = useFailures(after, sides.after, sides.afterView)
  const { shown, fixed, isOpen } = compareFailures(earlier, now)
  // Nothing more is to be read of builds that don't say why they failed.
  const isNothing = shown.length + fixed.length === 0 && (!isOpen || (earlier.isRead && now.isRead))
  return (
    <Section title="Failures">
      <Stack gap={8}>
        {shown.slice(0, mostShown).map(({ id, name, failure, note }) =>
          failure === null ? (
            <p key={id} className={css.compared}>
              <StatusMark tone="bad" word={note ?? 'failed'} /> <code>{name}</code>
            </p>
          ) : (
            <FailureCard
              key={id}
              failure={failure}
              name={name}
              {...(note === undefined ? {} : { note })}
            />
          ),
        )}
        {shown.length > mostShown && (
          <p>{`And ${countOf(shown.length - mostShown, 'more failure')}.`}</p>
        )}
        {fixed.slice(0, mostShown).map(({ id, name }) => (
          <p key={id} className={css.compared}>
            <StatusMark tone="good" word="fixed" /> <code>{name}</code>
          </p>
        ))}
        {fixed.length > mostShown && (
          <p
            className={css.compared}
          >{`And ${countOf(fixed.length - mostShown, 'more')} fixed.`}</p>
        )}
        {isOpen && !isNothing && (
          <p className={css.compared}>
            {earlier.isLoading || now.isLoading
              ? 'Reading all that failed in both builds…'
              : "What is new or fixed isn't known: not all failures of both builds could be read."}
          </p>
        )}
        {isNothing && <p className={css.compared}>{nothingText(before, after)}</p>}
      </Stack>
    </Section>
  )
}

function nothingText({ facts: before }: Knowledge, { facts: after }: Knowledge): string {
  if (after?.outcome === 'failed') {
    return `This build failed, but ${toolName(after.buildTool)} builds like it don't say why.`
  }
  if (before?.outcome === 'failed') return "Only the other build failed; it doesn't say why."
  return before?.outcome && after?.outcome
    ? 'Neither build failed.'
    : "It isn't known whether both builds failed."
}

/** A test that failed, in a task, or what else did; its message where it has one. */
interface NamedFailure {
  /** The same in both builds. */
  readonly id: string
  readonly name: string
  readonly failure: Failure | null
}

/** What failed in a build. */
export interface KnownFailures {
  readonly failures: readonly NamedFailure[]
  /** Whether nothing else failed in it. */
  readonly isAll: boolean
}

interface ComparedList {
  readonly shown: readonly (NamedFailure & {
    /** Undefined where nobody knows whether it failed before. */
    readonly note: string | undefined
  })[]
  readonly fixed: readonly NamedFailure[]
  /** Whether something of this would be said if more was known. */
  readonly isOpen: boolean
}

/** What is new is known where all that failed before is, and what is fixed where all that fails now is. */
export function compareFailures(before: KnownFailures, after: KnownFailures): ComparedList {
  const earlier = new Set(before.failures.map(({ id }) => id))
  const now = new Set(after.failures.map(({ id }) => id))
  const noteOf = (id: string): string | undefined => {
    if (earlier.has(id)) return 'failed before, too'
    return before.isAll ? 'new' : undefined
  }
  const shown = after.failures.map((failure) => ({ ...failure, note: noteOf(failure.id) }))
  const gone = before.failures.filter(({ id }) => !now.has(id))
  return {
    shown,
    fixed: after.isAll ? gone : [],
    isOpen:
      shown.some(({ note }) => note === undefined) ||
      (!after.isAll && (gone.length > 0 || shown.length === 0)),
  }
}

function useFailures(
  { facts, header, executions }: Knowledge,
  events: BuildEvents,
  { parts }: BuildEventsView,
): KnownFailures & { readonly isLoading: boolean; readonly isRead: boolean } {
  const failed = executions?.counts.test.failed ?? 0
  const { data: tests } = useAnswer(
    events,
    { kind: 'failed-tests', most: mostCompared },
    failed > 0 ? `${stampOf(parts.header)} ${stampOf(parts.executions)}` : undefined,
  )
  const failures = namedFailures(tests, header?.failures ?? [], facts?.failure?.message)
  const areEventsRead =
    parts.header.state === 'complete' &&
    parts.executions.state === 'complete' &&
    (executions !== undefined || stampOf(parts.executions) === undefined) &&
    (failed === 0 || (tests !== undefined && tests.rows.length >= tests.total))
  const isExplained = facts?.outcome !== 'failed' || failures.length > 0
  return {
    failures,
    // A build that succeeded needs no events to say that nothing of it failed.
    isAll: areEventsRead ? isExplained : facts?.outcome === 'succeeded',
    isRead: areEventsRead,
    isLoading: [parts.header, parts.executions].some(({ state }) => state === 'loading'),
  }
}

/** Failed tests and the failures of the build, each once; `message` says why a build without any failed. */
export function namedFailures(
  tests: FailedTestCases | undefined,
  ofBuild: readonly Failure[],
  message = '',
): KnownFailures['failures'] {
  const { rows } = tests ?? { rows: [] }
  const names = failedTestNames({ rows })
  const all = [
    ...rows.map(({ test, failure }, index) => ({
      id: JSON.stringify([test.task, test.className, test.name]),
      name: names[index] ?? test.name,
      failure,
    })),
    ...ofBuild.map((failure) => {
      const name = failure.path ?? failure.exceptions.at(-1)?.className ?? 'Failure'
      return { id: name, name, failure }
    }),
  ]
  if (all.length === 0 && message !== '') return [{ id: message, name: message, failure: null }]
  return [...new Map(all.toReversed().map((one) => [one.id, one])).values()].toReversed()
}
