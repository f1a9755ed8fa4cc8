import { Group, Text } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { changes, type ComparedExecution } from '../../../facts/comparison.ts'
import type { Execution } from '../../../facts/execution.ts'
import { countOf } from '../../../protocol/count.ts'
import { comparedKey } from '../../data/build/build-event-messages.ts'
import { toggled } from '../../data/core/search-state.ts'
import { EmptyState, Section } from '../../ui/page.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import type { BuildAddress, ChangeAddress } from './build-address.ts'
import page from './build-page.module.css'
import type { ComparedSides } from './compared-environment.tsx'
import { LoadingLines, PartNotice, PartProgress } from './part-notice.tsx'
import { ChoiceChips, SearchField } from './table-filters.tsx'
import css from './tables.module.css'
import { stampOf } from './use-knowledge.ts'
import { type Column, useWindow, WindowedTable } from './windowed-table.tsx'
import { cacheText, changeWords, exactDuration, outcomeWords } from './words.ts'

/** The tasks, goals and tests of both builds, failures first: how each ended before and after. */
export function ComparedExecutions({
  sides: { before, beforeView, after, afterView },
  address,
  onChange,
}: {
  sides: ComparedSides
  address: BuildAddress
  onChange: ChangeAddress
}): ReactElement | null {
  const [row, setRow] = useState<string>()
  const { search } = address
  const wanted = address.changes.length === 0 ? undefined : address.changes
  const stamps = [stampOf(beforeView.parts.executions), stampOf(afterView.parts.executions)]
  const rows = useWindow({
    key: stamps.includes(undefined)
      ? undefined
      : [before.buildId, after.buildId, stamps, wanted, search],
    query: (window) =>
      before.query({
        kind: 'comparison',
        other: after.buildId,
        changes: wanted,
        search,
        ...window,
      }),
    keyOf: comparedKey,
    opened: { key: row, onChange: setRow, scroll: 'nearest' },
  })
  const counts = rows.answer?.counts ?? {}
  const isEmpty = Object.keys(counts).length === 0
  const areRead = [beforeView, afterView].every(
    ({ parts }) => parts.executions.state === 'complete',
  )
  const isComing = [beforeView, afterView].every(({ parts }) =>
    ['idle', 'loading', 'complete'].includes(parts.executions.state),
  )
  // Tools that publish no events have none of it.
  if (isEmpty && areRead) return null
  return (
    <Section title="Tasks, goals and tests">
      <PartNotice part="executions" events={before} state={beforeView.parts.executions} />
      <PartNotice part="executions" events={after} state={afterView.parts.executions} />
      {/* What stands below on narrow screens comes after it. */}
      {rows.answer === undefined && isComing && <span data-waits hidden />}
      <Grown grown={rows.answer?.grown ?? []} />
      <ChoiceChips
        label="Executions by change"
        chosen={address.changes}
        choices={changes
          .filter((change) => counts[change] !== undefined || address.changes.includes(change))
          .map((value) => ({ value, ...changeWords[value], count: counts[value] ?? 0 }))}
        onToggle={(change) => {
          setRow(undefined)
          onChange({ changes: toggled(address.changes, change) })
        }}
      />
      <Group gap={8}>
        <SearchField
          label="Search path"
          value={search}
          onChange={(next) => {
            onChange({ search: next }, true)
          }}
        />
      </Group>
      {rows.answer === undefined ? (
        isComing && <LoadingLines label="Loading build events" count={8} py={16} />
      ) : rows.total === 0 ? (
        wanted === undefined && search === '' ? (
          <EmptyState title="No tasks, goals or tests in the events loaded so far." />
        ) : (
          <EmptyState title="No executions match.">
            <p>No task, goal or test of either build matches the filters.</p>
          </EmptyState>
        )
      ) : (
        <WindowedTable
          label="Executions of both builds"
          columns={comparedColumns}
          rows={rows}
          main="path"
          nameOf={({ path, change }) => `${path}, ${changeWords[change].word}`}
        />
      )}
      {rows.answer !== undefined && (
        <Text component="p" fz="xs" c="dimmed" m={0}>
          {`${countOf(rows.total, 'execution')} listed`}
        </Text>
      )}
      <PartProgress part="executions" events={before} state={beforeView.parts.executions} />
      <PartProgress part="executions" events={after} state={afterView.parts.executions} />
    </Section>
  )
}

/** What made the build longer. */
function Grown({ grown }: { grown: readonly ComparedExecution[] }): ReactElement | null {
  if (grown.length === 0) return null
  return (
    <p className={page.compared}>
      Took longer:{' '}
      {grown.map(({ path, differenceMs }, index) => (
        <span key={`${index} ${path}`}>
          {index > 0 && ', '}
          <code>{path}</code> {`+${exactDuration(Math.max(0, differenceMs))}`}
        </span>
      ))}
    </p>
  )
}

/** How executions of two builds are listed. */
const comparedColumns: readonly Column<ComparedExecution>[] = [
  {
    name: 'change',
    heading: 'Change',
    width: '120px',
    cell: ({ change }) => <StatusMark {...changeWords[change]} />,
  },
  {
    name: 'path',
    heading: 'Task, goal or test',
    width: 'minmax(0, 1fr)',
    cell: ({ path, left, right }) => (
      <>
        <Text span inherit ff="monospace" fz="xs" title={path}>
          {path}
        </Text>
        {/* Where there is no room for columns of their own. */}
        <span className={css.sides}>
          {sideText(left)} → {sideText(right)}
        </span>
      </>
    ),
  },
  {
    name: 'before',
    heading: 'Before',
    width: 'minmax(0, 17rem)',
    isMinor: true,
    cell: ({ left }) => sideText(left),
  },
  {
    name: 'after',
    heading: 'After',
    width: 'minmax(0, 17rem)',
    isMinor: true,
    cell: ({ right }) => sideText(right),
  },
  {
    name: 'difference',
    heading: 'Difference',
    width: '84px',
    isNumber: true,
    cell: ({ differenceMs }) =>
      `${differenceMs < 0 ? '−' : '+'}${exactDuration(Math.abs(differenceMs))}`,
  },
]

/** "succeeded 7 s, cacheable, ran": how it ended, how long it took, and what the cache had to do with it. */
function sideText(execution: Execution | null): ReactElement {
  if (execution === null) return <>–</>
  const { outcome, durationMs, cache } = execution
  const reason = cache.kind === 'not-cacheable' ? cache.reason : null
  const text = [
    `${outcomeWords[outcome].word}${durationMs === null ? '' : ` ${exactDuration(durationMs)}`}`,
    outcome === 'from-cache' && cache.kind === 'loaded' ? (cache.from ?? '') : cacheText(cache),
    reason ?? '',
  ]
    .filter((part) => part !== '')
    .join(', ')
  return <span title={text}>{text}</span>
}
