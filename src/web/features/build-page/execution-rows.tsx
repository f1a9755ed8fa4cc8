import { Text } from '@mantine/core'
import type { ReactElement } from 'react'
import type { Execution, ExecutionKind, ExecutionOutcome } from '../../../facts/execution.ts'
import { type TimelineView, type TimeSpan, toneOf } from '../../../facts/timeline.ts'
import { countOf } from '../../../protocol/count.ts'
import { executionKey } from '../../data/build/build-event-messages.ts'
import type { BuildEvents } from '../../data/build/build-events.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { instantText } from '../../ui/format.ts'
import { EmptyState, Fact, Facts } from '../../ui/page.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { stampOf, type TabProps } from './use-knowledge.ts'
import {
  type Column,
  DetailsPanel,
  type OpenedRow,
  useWindow,
  WindowedTable,
} from './windowed-table.tsx'
import { FailureOf } from './failure-list.tsx'
import css from './tables.module.css'
import { cacheText, cacheWords, exactDuration, outcomeWords } from './words.ts'
import type { ExecutionCounts } from '../../../facts/execution-table.ts'
import type { BuildAddress, Scope } from './build-address.ts'

/** The executions in view, one below the other, each with its place in time. */
export function ExecutionRows({
  events,
  view,
  address,
  whole,
  opened,
}: TabProps & { whole: TimeSpan; opened: OpenedRow }): ReactElement {
  const listed = listView(address, whole)
  const stamp = stampOf(view.parts.executions)
  const rows = useWindow({
    key: stamp === undefined ? undefined : [events.buildId, 'rows', stamp, listed],
    query: (window) => events.query({ kind: 'rows', view: listed, ...window }),
    keyOf: (execution: Execution) => executionKey(execution),
    opened,
  })
  const seen = {
    from: listed.from ?? whole.from,
    length: Math.max((listed.to ?? whole.to) - (listed.from ?? whole.from), 1),
  }
  if (rows.total === 0 && !rows.isPending) {
    return (
      <EmptyState title="No executions match.">
        <p>No task, goal or test matches the filters.</p>
      </EmptyState>
    )
  }
  return (
    <>
      <WindowedTable
        label="Executions"
        columns={columnsOf(seen)}
        rows={rows}
        main="path"
        nameOf={nameOf}
        rowTone={({ outcome }) => toneOf(outcome)}
      />
      {rows.selected !== undefined && (
        <ExecutionDetails
          events={events}
          execution={rows.selected.row}
          start={whole.from}
          onClose={rows.close}
        />
      )}
      {!rows.isPending && (
        <Text component="p" fz="xs" c="dimmed" m={0}>
          {countOf(rows.total, 'execution')} listed
          {view.parts.executions.state === 'complete'
            ? `, from ${countOf(view.parts.executions.events, 'event')}`
            : ''}
        </Text>
      )}
    </>
  )
}

function columnsOf(seen: { from: number; length: number }): readonly Column<Execution>[] {
  return [
    {
      name: 'outcome',
      heading: 'Outcome',
      width: '104px',
      cell: ({ outcome }) => <StatusMark {...outcomeWords[outcome]} />,
    },
    {
      name: 'path',
      heading: 'Task, goal or test',
      width: 'minmax(0, 5fr)',
      cell: ({ path }) => (
        <Text span inherit ff="monospace" fz="xs" title={path}>
          {path}
        </Text>
      ),
    },
    {
      name: 'cache',
      heading: 'Build cache',
      width: '136px',
      isMinor: true,
      cell: ({ cache }) => (
        <span className={css.cache} data-use={cache.kind}>
          {cacheText(cache)}
        </span>
      ),
    },
    {
      name: 'duration',
      heading: 'Duration',
      width: '76px',
      isNumber: true,
      cell: ({ durationMs }) => (durationMs === null ? '–' : exactDuration(durationMs)),
    },
    {
      name: 'bar',
      heading: 'Time',
      width: 'minmax(0, 4fr)',
      isMinor: true,
      cell: (execution) => <Bar execution={execution} seen={seen} />,
    },
  ]
}

function Bar({
  execution: { startedAt, durationMs, outcome },
  seen,
}: {
  execution: Execution
  seen: { from: number; length: number }
}): ReactElement {
  const first = Math.max(0, (startedAt - seen.from) / seen.length)
  const last = Math.min(1, (startedAt + (durationMs ?? 0) - seen.from) / seen.length)
  return (
    <span className={css.track} aria-hidden="true">
      <span
        className={css.bar}
        data-span={toneOf(outcome)}
        style={{ left: `${first * 100}%`, width: `max(2px, ${Math.max(0, last - first) * 100}%)` }}
      />
    </span>
  )
}

function nameOf({ path, outcome, durationMs }: Execution): string {
  const time = durationMs === null ? '' : `, ${exactDuration(durationMs)}`
  return `${path}, ${outcomeWords[outcome].word}${time}`
}

/** All that the events have of one execution; `start` is when the build's first one began. */
function ExecutionDetails({
  events,
  execution,
  start,
  onClose,
}: {
  events: BuildEvents
  execution: Execution
  start: number
  onClose: () => void
}): ReactElement {
  const { zone } = usePreferences()
  const { id, path, className, parent, startedAt, durationMs, originMs, failureId } = execution
  const { outcome, rawOutcome } = execution
  const word = outcomeWords[outcome].word
  return (
    <DetailsPanel label={`Details of ${path}`} title={path} copy={[path, path]} onClose={onClose}>
      <Facts>
        <Fact name="Outcome">
          {rawOutcome === null || rawOutcome === word ? word : `${word} (${rawOutcome})`}
        </Fact>
        <Fact name="Task">{parent}</Fact>
        <Fact name="Class">{className}</Fact>
        <Fact name="Started">
          {`${exactDuration(startedAt - start)} after the build started, ${instantText(startedAt, zone)}`}
        </Fact>
        <Fact name="Duration">{durationMs === null ? 'unknown' : exactDuration(durationMs)}</Fact>
        <Fact name="Build cache">{cacheSentence(execution)}</Fact>
        <Fact name="Saved">
          {originMs === null || durationMs === null || originMs <= durationMs
            ? undefined
            : `${exactDuration(originMs - durationMs)}: producing the outputs took ${exactDuration(originMs)}`}
        </Fact>
        <Fact name="Id">
          <code>{id}</code>
        </Fact>
      </Facts>
      {failureId !== null && <FailureOf events={events} id={failureId} />}
    </DetailsPanel>
  )
}

function cacheSentence({ cache, kind }: Execution): string | undefined {
  switch (cache.kind) {
    case 'loaded':
      return cache.from === null
        ? 'Outputs came from a build cache (local or remote unknown).'
        : `Outputs came from the ${cache.from} build cache.`
    case 'stored':
      return `Outputs were stored in the ${cache.to} build cache.`
    case 'missed':
      return 'Cacheable, but not found in a cache, so it ran.'
    case 'up-to-date':
      return 'Outputs were up to date.'
    case 'not-needed':
      return 'Nothing to do.'
    case 'not-cacheable': {
      const why = [cache.reason, cache.category].filter((word) => word !== null)
      return why.length === 0 ? cacheWords[cache.kind] : why.join(' – ')
    }
    case 'unknown':
      return kind === 'test' ? undefined : 'Unknown.'
  }
}

/** The kinds of executions of a scope. */
function kindsOf(scope: Scope): readonly ExecutionKind[] {
  if (scope === 'work') return ['task', 'goal']
  return scope === 'tests' ? ['test'] : ['task', 'goal', 'test']
}

/** Which executions are listed for what the address says; `whole` is when the build did anything. */
function listView(address: BuildAddress, whole: TimeSpan): TimelineView {
  const { order, zoom } = address
  return {
    ...narrowed(address),
    order,
    kinds: kindsOf(address.scope),
    from: zoom && whole.from + zoom.from,
    to: zoom && whole.from + zoom.to,
  }
}

/** Which executions are drawn on lanes: tests have lanes of their own, and are drawn alone. */
export function lanesView(address: BuildAddress): TimelineView {
  const kinds = kindsOf(address.scope === 'tests' ? 'tests' : 'work')
  return { ...narrowed(address), order: 'start', kinds }
}

/** How many executions of a scope ended how. */
export function scopeCounts(
  counts: ExecutionCounts,
  scope: Scope,
): Readonly<Partial<Record<ExecutionOutcome, number>>> {
  const sums: Partial<Record<ExecutionOutcome, number>> = {}
  for (const kind of kindsOf(scope)) {
    for (const [outcome, count] of entriesOf(counts[kind])) {
      sums[outcome] = (sums[outcome] ?? 0) + count
    }
  }
  return sums
}

function narrowed({ outcomes, cache, search }: BuildAddress) {
  return {
    outcomes: outcomes.length === 0 ? undefined : outcomes,
    cache: cache.length === 0 ? undefined : cache,
    search: search === '' ? undefined : search,
  }
}

function entriesOf<K extends string>(counts: Readonly<Partial<Record<K, number>>>): [K, number][] {
  const found: [K, number][] = []
  for (const key in counts) {
    const count = counts[key]
    if (count !== undefined) found.push([key, count])
  }
  return found
}
