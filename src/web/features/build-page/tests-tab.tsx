import { Group, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { type CaseOutcome, caseOutcomes, type TestCase } from '../../../facts/test-cases.ts'
import { countOf } from '../../../protocol/count.ts'
import { fullTestName, testFilter, testName } from '../../../protocol/test-insight.ts'
import { quoteValue } from '../../../search/values/text.ts'
import { testKey } from '../../data/build/build-event-messages.ts'
import type { BuildEvents } from '../../data/build/build-events.ts'
import { breakable } from '../../ui/external-link.tsx'
import { EmptyState } from '../../ui/page.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { testsLink } from '../../data/tests/tests-address.ts'
import { toggled } from '../../data/core/search-state.ts'
import { stampOf, type TabProps } from './use-knowledge.ts'
import {
  type Column,
  DetailsPanel,
  useOpenedRow,
  useWindow,
  WindowedTable,
} from './windowed-table.tsx'
import { FailureOf } from './failure-list.tsx'
import { NoExecutions, PartNotice, PartProgress } from './part-notice.tsx'
import { ChoiceChips, SearchField } from './table-filters.tsx'
import css from './tables.module.css'
import { caseWords, exactDuration, outcomeWords } from './words.ts'

/** The test cases of the build: how each did over all its runs. */
export function TestsTab(props: TabProps): ReactElement {
  const { events, view, knowledge, address } = props
  const part = view.parts.executions
  const stamp = stampOf(part)
  const opened = useOpenedRow(props)
  const { cases, search } = address
  const outcomes = cases.length === 0 ? undefined : cases
  const rows = useWindow({
    key: stamp === undefined ? undefined : [events.buildId, 'tests', stamp, outcomes, search],
    query: (window) => events.query({ kind: 'tests', outcomes, search, ...window }),
    keyOf: testKey,
    opened,
  })
  const counts = rows.answer?.counts ?? {}

  if (Object.keys(counts).length === 0) {
    return (
      <>
        <PartNotice part="executions" events={events} state={part} />
        {part.state === 'complete' && knowledge.executions?.span ? (
          <EmptyState title="No tests.">
            <p>
              Test cases appear here when the build's events include them. Events of Maven builds
              don't.
            </p>
          </EmptyState>
        ) : (
          <NoExecutions part={part} facts={knowledge.facts} />
        )}
        <PartProgress part="executions" events={events} state={part} />
      </>
    )
  }
  return (
    <>
      <PartNotice part="executions" events={events} state={part} />
      <ChoiceChips
        label="Outcomes"
        chosen={cases}
        choices={caseOutcomes
          .filter((outcome) => counts[outcome] !== undefined || cases.includes(outcome))
          .map((value) => ({ value, ...caseWords[value], count: counts[value] ?? 0 }))}
        onToggle={(outcome: CaseOutcome) => {
          opened.narrow({ cases: toggled(cases, outcome) })
        }}
      />
      <Group gap={8}>
        <SearchField
          label="Search test, class or task"
          value={search}
          onChange={(next) => {
            opened.narrow({ search: next }, true)
          }}
        />
      </Group>
      {rows.total === 0 && !rows.isPending ? (
        <EmptyState title="No tests match.">
          <p>No test case matches the filters.</p>
        </EmptyState>
      ) : (
        <WindowedTable
          label="Test cases"
          columns={columns}
          rows={rows}
          main="test"
          nameOf={(test) => `${fullTestName(test)}, ${caseWords[test.outcome].word}`}
        />
      )}
      {rows.selected !== undefined && (
        <TestDetails
          events={events}
          test={rows.selected.row}
          project={knowledge.facts?.project}
          onClose={rows.close}
        />
      )}
      {!rows.isPending && (
        <Text component="p" fz="xs" c="dimmed" m={0}>
          {countOf(rows.total, 'test case')} listed
        </Text>
      )}
      <PartProgress part="executions" events={events} state={part} />
    </>
  )
}

const columns: readonly Column<TestCase>[] = [
  {
    name: 'outcome',
    heading: 'Outcome',
    width: '104px',
    cell: ({ outcome }) => <StatusMark {...caseWords[outcome]} />,
  },
  {
    name: 'test',
    heading: 'Test',
    width: 'minmax(0, 4fr)',
    cell: (test) => (
      <Text span inherit ff="monospace" fz="xs" title={fullTestName(test)}>
        {breakable(testName(test))}
      </Text>
    ),
  },
  {
    name: 'task',
    heading: 'Task',
    width: 'minmax(0, 2fr)',
    isMinor: true,
    cell: ({ task }) => (
      <Text span inherit ff="monospace" fz="xs">
        {task ?? '–'}
      </Text>
    ),
  },
  {
    name: 'runs',
    heading: 'Runs',
    width: '48px',
    isNumber: true,
    isMinor: true,
    cell: ({ runs }) => runs.length,
  },
  {
    name: 'duration',
    heading: 'Duration',
    width: '76px',
    isNumber: true,
    cell: ({ durationMs }) => exactDuration(durationMs),
  },
]

/** The test in the newest builds of the project. */
function historyLink(test: TestCase, project: string | null | undefined): string {
  const query = typeof project === 'string' ? `project:${quoteValue(project)}` : ''
  return testsLink({ query, list: 'all', find: fullTestName(test).slice(0, 500) })
}

/** A test case with each of its runs, and why those failed that did. */
function TestDetails({
  events,
  test,
  project,
  onClose,
}: {
  events: BuildEvents
  test: TestCase
  project: string | null | undefined
  onClose: () => void
}): ReactElement {
  const { task, outcome, runs } = test
  const name = fullTestName(test)
  return (
    <DetailsPanel
      label={`Details of ${name}`}
      title={name}
      copy={[testFilter(test, '.'), name]}
      onClose={onClose}
    >
      <p>
        <StatusMark {...caseWords[outcome]} />
        {outcome === 'flaky' && ': it failed and passed in the same build'}
        {task !== null && ` · run by ${task}`}
        {` · ${countOf(runs.length, 'run')} · `}
        <Link to={historyLink(test, project)}>History across builds</Link>
      </p>
      {runs.map((run) => (
        <div key={run.id} className={css.run}>
          <StatusMark {...outcomeWords[run.outcome]} />
          <span>{run.durationMs === null ? '' : exactDuration(run.durationMs)}</span>
          {run.failureId !== null && <FailureOf events={events} id={run.failureId} />}
        </div>
      ))}
    </DetailsPanel>
  )
}
