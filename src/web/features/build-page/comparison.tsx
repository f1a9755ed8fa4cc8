import { Group, Skeleton, Stack, Table, Text } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { Link } from 'react-router'
import { changes, type ComparedExecution, compareFacts } from '../../../facts/comparison.ts'
import type { Execution } from '../../../facts/execution.ts'
import { isBuildId } from '../../../protocol/build-message.ts'
import { countOf } from '../../../protocol/count.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { BuildEvents } from '../../data/build/build-events.ts'
import { durationText } from '../../ui/format.ts'
import { EmptyState } from '../../ui/page.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { toggled } from '../../data/core/search-state.ts'
import type { BuildAddress, ChangeAddress } from './build-address.ts'
import page from './build-page.module.css'
import { PartNotice, PartProgress, Refusal } from './part-notice.tsx'
import { ChoiceChips, SearchField } from './table-filters.tsx'
import css from './tables.module.css'
import { type Knowledge, stampOf, useBuildLoading, useKnowledge } from './use-knowledge.ts'
import { type Column, useRowHeight, useWindow, WindowedTable } from './windowed-table.tsx'
import { changeWords, exactDuration, outcomeWords } from './words.ts'
import { usePageServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'

interface ComparisonProps {
  readonly events: BuildEvents
  readonly knowledge: Knowledge
  readonly other: string
  readonly address: BuildAddress
  readonly onChange: ChangeAddress
}

/** This build beside another one: facts, and what was executed otherwise. */
export function Comparison(props: ComparisonProps): ReactElement {
  const { events, other } = props
  if (isBuildId(other) && other !== events.buildId) return <Sides key={other} {...props} />
  return (
    <EmptyState title="Nothing to compare with.">
      <p>
        {other === events.buildId
          ? 'The URL has the same build twice.'
          : `The URL has “${other}”, but a build id has 13 letters and digits.`}
      </p>
    </EmptyState>
  )
}

/** The other build stands on the left: it is what this one is measured against. */
function Sides({ events, knowledge, other, address, onChange }: ComparisonProps): ReactElement {
  const left = usePageServices().buildEvents(other)
  const leftView = useStore(left)
  const view = useStore(events)
  useBuildLoading(left, leftView, undefined, [])
  const { facts: leftFacts, isSettled } = useKnowledge(left, leftView)
  const { facts } = knowledge
  const rowHeight = useRowHeight()
  const [selected, setSelected] = useState<number>()
  const { search } = address
  const wanted = address.changes.length === 0 ? undefined : address.changes
  const stamps = [stampOf(leftView.parts.executions), stampOf(view.parts.executions)]
  const rows = useWindow(
    stamps.includes(undefined) ? undefined : [other, events.buildId, stamps, wanted, search],
    (window) =>
      left.query({ kind: 'comparison', other: events.buildId, changes: wanted, search, ...window }),
    rowHeight,
  )
  const counts = rows.answer?.counts ?? {}

  if (leftView.parts.header.state === 'refused' && leftFacts === undefined) {
    return (
      <Refusal
        buildId={other}
        problem={leftView.parts.header.problem}
        onRetry={() => {
          left.load('header')
        }}
      />
    )
  }
  // What comes later would push away what is being read: the details stand above the executions.
  if (!isSettled || !knowledge.isSettled) {
    return (
      <Stack gap={16} role="status" aria-label="Loading both builds">
        {Array.from({ length: 12 }, (_, index) => (
          <Skeleton key={index} height={14} />
        ))}
      </Stack>
    )
  }
  return (
    <>
      <Text component="p" fz="xs" c="dimmed" m={0}>
        {comparedSentence(leftFacts, facts)} Left: <Link to={`/builds/${other}`}>{other}</Link>,
        right: this build.
      </Text>
      <ComparedFacts left={leftFacts} right={facts} />
      <PartNotice part="header" events={left} state={leftView.parts.header} />
      <PartNotice part="executions" events={left} state={leftView.parts.executions} />
      <PartNotice part="executions" events={events} state={view.parts.executions} />
      <ChoiceChips
        label="Executions by change"
        chosen={address.changes}
        choices={changes
          .filter((change) => counts[change] !== undefined || address.changes.includes(change))
          .map((value) => ({ value, ...changeWords[value], count: counts[value] ?? 0 }))}
        onToggle={(change) => {
          setSelected(undefined)
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
      {rows.total === 0 && !rows.isPending ? (
        <EmptyState title="No executions match.">
          <p>No task, goal or test of either build matches the filters.</p>
        </EmptyState>
      ) : (
        <WindowedTable
          label="Executions of both builds"
          columns={comparedColumns}
          rows={rows}
          rowHeight={rowHeight}
          main="path"
          nameOf={({ path, change }) => `${path}, ${changeWords[change].word}`}
          selected={selected}
          onSelect={setSelected}
        />
      )}
      <Text
        component="p"
        fz="xs"
        c="dimmed"
        m={0}
      >{`${countOf(rows.total, 'execution')} listed`}</Text>
      <PartProgress part="executions" events={left} state={leftView.parts.executions} />
      <PartProgress part="executions" events={events} state={view.parts.executions} />
    </>
  )
}

/** How executions of two builds are listed. */
const comparedColumns: readonly Column<ComparedExecution>[] = [
  {
    name: 'change',
    heading: 'Change',
    width: '128px',
    cell: ({ change }) => <StatusMark {...changeWords[change]} />,
  },
  {
    name: 'path',
    heading: 'Task, goal or test',
    width: 'minmax(0, 1fr)',
    cell: ({ path }) => (
      <span className={css.executionPath} title={path}>
        {path}
      </span>
    ),
  },
  {
    name: 'left',
    heading: 'Left',
    width: '150px',
    isMinor: true,
    cell: ({ left }) => sideText(left),
  },
  {
    name: 'right',
    heading: 'Right',
    width: '150px',
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

function sideText(execution: Execution | null): string {
  if (execution === null) return '–'
  const { outcome, durationMs } = execution
  const time = durationMs === null ? '' : ` ${exactDuration(durationMs)}`
  return `${outcomeWords[outcome].word}${time}`
}

/** How two builds ended, in one sentence; empty while that is not known of both. */
function comparedSentence(left: Facts | undefined, right: Facts | undefined): string {
  const [one, other] = [ending(left), ending(right)]
  if (one === undefined || other === undefined) return ''
  return `This build ${other}, the other one ${one}.`
}

function ending(facts: Facts | undefined): string | undefined {
  if (!facts?.outcome) return undefined
  const { outcome, durationMs } = facts
  return typeof durationMs === 'number' ? `${outcome} after ${durationText(durationMs)}` : outcome
}

/** The facts of two builds side by side; what differs comes first. */
function ComparedFacts({
  left,
  right,
}: {
  left: Facts | undefined
  right: Facts | undefined
}): ReactElement | null {
  if (left === undefined || right === undefined) return null
  const facts = compareFacts(left, right, durationText)
  const different = facts.filter(({ isSame }) => !isSame)
  const same = facts.filter(({ isSame, left: value }) => isSame && value !== null)
  return (
    <>
      <FactTable caption="Differences" facts={different} />
      <details className={page.same}>
        <summary>{`${same.length} equal details`}</summary>
        <FactTable caption="Equal details" facts={same} />
      </details>
    </>
  )
}

function FactTable({
  caption,
  facts,
}: {
  caption: string
  facts: ReturnType<typeof compareFacts>
}): ReactElement {
  if (facts.length === 0) return <Text>The details of the two builds don't differ.</Text>
  return (
    <Table.ScrollContainer minWidth={480}>
      <Table captionSide="top">
        <Table.Caption>{caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Fact</Table.Th>
            <Table.Th scope="col">Left</Table.Th>
            <Table.Th scope="col">Right</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {facts.map(({ name, left, right }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{name}</Table.Th>
              <Table.Td>{left ?? 'unknown'}</Table.Td>
              <Table.Td>{right ?? 'unknown'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
