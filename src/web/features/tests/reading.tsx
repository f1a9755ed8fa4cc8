import { Button, Group, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { countText } from '../../../protocol/count.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import {
  mostTestBuilds,
  type TestList,
  type TestsProgress,
  type TestSummary,
} from '../../../protocol/test-insight.ts'
import {
  noBuildList,
  problemDetail,
  problemWords,
  type ProblemWords,
  waitText,
} from '../../data/core/problem-words.ts'
import { RetryFailed } from '../../data/core/queries.tsx'
import type { TestReport, TestReportView, TestsQuestion } from '../../data/tests/test-report.ts'
import type { TestsAddress } from '../../data/tests/tests-address.ts'
import { useSilence } from '../../domain/silence/silence.ts'
import { Notice } from '../../ui/notice.tsx'
import { EmptyState } from '../../ui/page.tsx'
import { ProblemPanel } from '../../ui/problem.tsx'
import { progressText, testsSentence } from './test-sentence.ts'
import css from './tests.module.css'

/** What is known of the tests, and of which question. */
export interface Answered {
  readonly summary: TestSummary
  readonly question: TestsQuestion
}

/** What goes on being shown until a question has its own answer: what was known of the tests of the same builds. */
export function answeredFor(
  { query }: TestsQuestion,
  last: Answered | undefined,
): Answered | undefined {
  return last?.question.query === query ? last : undefined
}

/** The page's sentence: what is known of the tests, or that they are being read. */
export function readingSentence(
  { state, progress }: TestReportView,
  summary: TestReportView['summary'],
  scope: string,
  isFiltered: boolean,
): string {
  if (summary !== undefined) return testsSentence(summary, summary.builds.length, scope, isFiltered)
  if (state.is === 'failed') return "Can't read tests."
  if (state.is === 'waiting') return 'Sightline is busy. It keeps trying to read tests.'
  if (progress?.busy === true) return serverBusy
  return progress === undefined || progress.read === 0
    ? 'Reading the tests of builds…'
    : `Reading the tests of ${countText(progress.of)} builds…`
}

const serverBusy = 'The build server is busy. Sightline keeps trying to read tests.'

/** How far the reading has come, and what can be done about it. */
export function Reading({
  view,
  report,
  builds,
  onMore,
}: {
  view: TestReportView
  report: TestReport
  builds: number
  onMore: (change: Partial<TestsAddress>) => void
}): ReactElement {
  const { state, progress, summary } = view
  const isBusy = state.is === 'reading' || state.is === 'waiting'
  const silence = useSilence(state.is === 'reading' ? state.since : undefined, 'build server', true)
  if (state.is === 'failed' && summary === undefined) {
    return (
      <>
        <RetryFailed fault={state.problem} of={report} retry={report.retry} />
        <ProblemPanel
          problem={unreadWords(state.problem)}
          retry={{ label: 'Try again', run: report.retry }}
        />
      </>
    )
  }
  return (
    <Group gap="4px 12px" className={css.reading}>
      <Text c="dimmed" role={isBusy ? undefined : 'status'}>
        {progress === undefined ? 'Looking for builds…' : progressText(progress, isBusy)}
        {progress?.busy === true
          ? summary !== undefined && ` ${serverBusy}`
          : silence !== '' && ` ${silence}`}
        {state.is === 'waiting' && ` ${state.reason.replace(againText, '')} Trying again soon.`}
        {state.is === 'cancelled' && ' Canceled.'}
      </Text>
      {isBusy && (
        <Button variant="default" size="compact-sm" mih={24} onClick={report.cancel}>
          Cancel
        </Button>
      )}
      {(state.is === 'cancelled' || state.is === 'failed') && (
        <Button variant="default" size="compact-sm" mih={24} onClick={report.retry}>
          {state.is === 'failed' ? 'Try again' : 'Continue'}
        </Button>
      )}
      {state.is === 'done' && progress?.more === true && builds < mostTestBuilds && (
        <Button
          variant="default"
          size="compact-sm"
          mih={24}
          onClick={() => {
            onMore({ builds: Math.min(mostTestBuilds, builds + 100) })
          }}
        >
          Read 100 more
        </Button>
      )}
      {state.is === 'failed' && (
        <>
          <RetryFailed fault={state.problem} of={report} retry={report.retry} />
          <Notice tone="bad">{state.problem.sentence}</Notice>
        </>
      )}
      {progress?.problem !== undefined && progress.unreadable > 0 && (
        <Notice
          action={
            isBusy ? undefined : (
              <Button variant="default" size="compact-sm" mih={24} onClick={report.retry}>
                Read again
              </Button>
            )
          }
        >
          {progress.problem}
        </Notice>
      )}
    </Group>
  )
}

/** What people would be advised to do is done by itself. */
const againText = / Try again[^.]*\.$/

/** Why no tests could be read: they are read from the builds of a list, which needs a permission. */
export function unreadWords(fault: ProblemError): ProblemWords {
  const requested = { action: 'read', noun: 'tests', server: 'build server' }
  const detail = problemDetail(fault)
  const { upstreamStatus } = fault.problem
  if (upstreamStatus === 404) return { ...noBuildList, detail }
  if (upstreamStatus === 429 || upstreamStatus === 503) {
    const meaning = `Sightline retried several times. Try again in ${waitText(fault)}.`
    return { title: 'The build server is too busy to read tests.', meaning, detail }
  }
  return problemWords(fault, requested, {
    forbidden: {
      meaning:
        "Sightline's user lacks the permission “Access build data via the API”. Ask an administrator of the build server.",
    },
  })
}

/** Why a list is empty, and where to look instead. */
export function NoTests({
  view,
  address,
  list,
}: {
  view: TestReportView
  address: TestsAddress
  list: TestList
}): ReactElement {
  const { summary, progress, state } = view
  const hasQuery = address.query.trim() !== ''
  if (state.is === 'reading' || state.is === 'waiting') return <Text c="dimmed">No tests yet.</Text>
  const isNarrowed = Object.keys(address.narrow).length > 0
  if ((address.find !== '' || isNarrowed) && summary?.counts.all === 0) {
    return (
      <EmptyState title="No tests match.">
        <p>
          {isNarrowed
            ? 'Clear a filter above to see more tests.'
            : 'Search for another part of a name, class or task.'}
        </p>
      </EmptyState>
    )
  }
  if (summary?.counts.all === 0) {
    return (
      <EmptyState title="No test results in these builds.">
        <p>{noResultsText(progress, hasQuery)}</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState title={emptyTitles[list]}>
      <p>Other lists have tests: choose one above.</p>
    </EmptyState>
  )
}

/** Why none of the builds that were read has test results, and what to do. */
export function noResultsText(
  progress: Pick<TestsProgress, 'of' | 'unmatched' | 'more'> | undefined,
  hasQuery: boolean,
): string {
  // On servers that don't search, builds that don't match are read as well.
  if (progress === undefined || progress.of > progress.unmatched) {
    return 'Tests are read from the test events of builds, which Gradle and some other tools send. Run another query, or read more builds.'
  }
  if (!hasQuery) return 'Tests appear here once the build server has received builds.'
  return progress.more
    ? 'None of the builds read so far match the query. Read more builds.'
    : 'No builds match the query.'
}

const emptyTitles: Readonly<Record<TestList, string>> = {
  failing: 'No tests fail.',
  newly: 'No tests started failing.',
  flaky: 'No tests are flaky.',
  slowest: 'No durations are known.',
  skipped: 'No tests are skipped.',
  all: 'No tests.',
}
