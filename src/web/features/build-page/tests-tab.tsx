import { type ReactElement, useState } from 'react'
import { type CaseOutcome, caseOutcomes, type TestCase } from '../../../facts/test-cases.ts'
import { countOf } from '../../../protocol/count.ts'
import { EmptyState } from '../../ui/page.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { toggled } from './build-address.ts'
import { ChoiceChips } from './choice-chips.tsx'
import { exactDuration } from './exact-duration.ts'
import css from './execution-rows.module.css'
import { NoExecutions } from './no-executions.tsx'
import { PartNotice, PartProgress } from './part-notice.tsx'
import { useRowHeight } from './row-height.ts'
import { SearchField } from './search-field.tsx'
import type { TabProps } from './tab-props.ts'
import { TestDetails } from './test-details.tsx'
import tools from './timeline-tab.module.css'
import { stampOf } from './use-answer.ts'
import { useWindow } from './use-window.ts'
import { type Column, WindowedTable } from './windowed-table.tsx'
import { caseWords } from './words.ts'

/** The test cases of the build: how each did over all its runs. */
export function TestsTab({ events, view, knowledge, address, change }: TabProps): ReactElement {
  const part = view.parts.executions
  const stamp = stampOf(part)
  const rowHeight = useRowHeight()
  const [selected, setSelected] = useState<number>()
  const { cases, search } = address
  const outcomes = cases.length === 0 ? undefined : cases
  const rows = useWindow(
    stamp === undefined ? undefined : [events.buildId, 'tests', stamp, outcomes, search],
    (window) => events.ask({ kind: 'tests', outcomes, search, ...window }),
    rowHeight,
  )
  const counts = rows.answer?.counts ?? {}
  const chosen = selected === undefined ? undefined : rows.rowAt(selected)

  if (Object.keys(counts).length === 0) {
    return (
      <>
        <PartNotice part="executions" events={events} state={part} />
        {part.state === 'complete' && knowledge.executions?.span ? (
          <EmptyState title="This build ran no tests.">
            <p>
              Test cases appear here where a build’s events tell of them; those of Maven do not.
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
          setSelected(undefined)
          change({ cases: toggled(cases, outcome) })
        }}
      />
      <div className={tools.tools}>
        <SearchField
          label="Search test, class or task"
          value={search}
          onChange={(next) => {
            setSelected(undefined)
            change({ search: next }, true)
          }}
        />
      </div>
      {rows.total === 0 && !rows.isPending ? (
        <EmptyState title="No test is like that.">
          <p>No test case matches the search and the choices above.</p>
        </EmptyState>
      ) : (
        <WindowedTable
          label="Test cases"
          columns={columns}
          rows={rows}
          rowHeight={rowHeight}
          main="test"
          nameOf={({ className, name, outcome }) =>
            `${className ?? ''} ${name}, ${caseWords[outcome].word}`
          }
          selected={selected}
          onSelect={setSelected}
        />
      )}
      {chosen !== undefined && (
        <TestDetails
          events={events}
          test={chosen}
          onClose={() => {
            setSelected(undefined)
          }}
        />
      )}
      <p className={css.footer}>{countOf(rows.total, 'test case')} listed</p>
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
    cell: ({ className, name }) => (
      <span className={css.path} title={`${className ?? ''} ${name}`}>
        {shortClass(className)} {name}
      </span>
    ),
  },
  {
    name: 'task',
    heading: 'Task',
    width: 'minmax(0, 2fr)',
    isMinor: true,
    cell: ({ task }) => <span className={css.path}>{task ?? '–'}</span>,
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

/** The class without its package: "com.example.ShopTest" is "ShopTest". */
function shortClass(className: string | null): string {
  return className?.split('.').at(-1) ?? ''
}
