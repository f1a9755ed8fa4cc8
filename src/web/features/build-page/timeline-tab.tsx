import { Button, Group, NativeSelect, SegmentedControl, Text } from '@mantine/core'
import { type ReactElement, useRef, useState } from 'react'
import { type CacheUse, executionOutcomes } from '../../../facts/execution.ts'
import type { TimeSpan } from '../../../facts/timeline.ts'
import type { BuildAnswers } from '../../data/build/build-event-messages.ts'
import { useKeys } from '../../ui/keys.tsx'
import { toggled } from '../../data/core/search-state.ts'
import { cacheKinds, type Zoom } from './build-address.ts'
import { stampOf, type TabProps, useAnswer } from './use-knowledge.ts'
import { ExecutionRows, lanesView, scopeCounts } from './execution-rows.tsx'
import { LaneStrip } from './lane-strip.tsx'
import { NoExecutions, PartNotice, PartProgress } from './part-notice.tsx'
import { ChoiceChips, SearchField } from './table-filters.tsx'
import { cacheWords, exactDuration, outcomeWords, scopeWords } from './words.ts'
import { panned, zoomed } from './zoom.ts'

const columns = 600
const mostLanes = 16

/** What the build executed, over time. */
export function TimelineTab(props: TabProps): ReactElement {
  const { events, view, knowledge } = props
  const part = view.parts.executions
  const { executions } = knowledge
  return (
    <>
      <PartNotice part="executions" events={events} state={part} />
      {executions === undefined || executions.span === null ? (
        <NoExecutions part={part} facts={knowledge.facts} />
      ) : (
        <Timeline {...props} executions={executions} whole={executions.span} />
      )}
      <PartProgress part="executions" events={events} state={part} />
    </>
  )
}

function Timeline(
  props: TabProps & { executions: BuildAnswers['executions']; whole: TimeSpan },
): ReactElement {
  const { executions, whole, address, change } = props
  const field = useRef<HTMLInputElement>(null)
  const [selected, setSelected] = useState<number>()
  const length = whole.to - whole.from
  const counts = scopeCounts(executions.counts, address.scope)
  const hasBoth = executions.lanes.tests > 0 && executions.lanes.work > 0

  function zoomTo(zoom: Zoom | undefined): void {
    setSelected(undefined)
    change({ zoom }, true)
  }

  function narrow(part: Parameters<typeof change>[0]): void {
    setSelected(undefined)
    change(part)
  }

  useKeys('Timeline', [
    { keys: ['/'], label: 'Search', run: () => field.current?.focus() },
    {
      keys: ['+', '='],
      label: 'Zoom in',
      run: () => {
        zoomTo(zoomed(address.zoom, length, 0.5))
      },
    },
    {
      keys: ['-'],
      label: 'Zoom out',
      run: () => {
        zoomTo(zoomed(address.zoom, length, 2))
      },
    },
    {
      keys: ['arrowleft'],
      label: 'Earlier',
      run: () => {
        zoomTo(panned(address.zoom, length, -0.25))
      },
    },
    {
      keys: ['arrowright'],
      label: 'Later',
      run: () => {
        zoomTo(panned(address.zoom, length, 0.25))
      },
    },
    {
      keys: ['0'],
      label: 'Whole build',
      run: () => {
        zoomTo(undefined)
      },
    },
  ])

  return (
    <>
      <ChoiceChips
        label="Outcomes"
        chosen={address.outcomes}
        choices={executionOutcomes
          .filter((outcome) => counts[outcome] !== undefined || address.outcomes.includes(outcome))
          .map((value) => ({ value, ...outcomeWords[value], count: counts[value] ?? 0 }))}
        onToggle={(outcome) => {
          narrow({ outcomes: toggled(address.outcomes, outcome) })
        }}
      />
      <Group gap={8}>
        <SearchField
          field={field}
          label="Search path or class"
          value={address.search}
          onChange={(search) => {
            setSelected(undefined)
            change({ search }, true)
          }}
        />
        <SegmentedControl
          aria-label="Order"
          value={address.order}
          data={[
            { value: 'outcome', label: 'Failed first' },
            { value: 'start', label: 'By start' },
            { value: 'duration', label: 'Longest first' },
          ]}
          onChange={(order) => {
            narrow({ order })
          }}
        />
        {hasBoth && (
          <SegmentedControl
            aria-label="Filters"
            value={address.scope}
            data={[
              { value: 'work', label: scopeWords.work },
              { value: 'tests', label: scopeWords.tests },
              { value: 'all', label: scopeWords.all },
            ]}
            onChange={(scope) => {
              narrow({ scope, outcomes: [] })
            }}
          />
        )}
        <CacheMenu
          chosen={address.cache}
          onChange={(cache) => {
            narrow({ cache })
          }}
        />
        <ZoomButtons zoom={address.zoom} length={length} onZoom={zoomTo} />
      </Group>
      <Lanes {...props} onZoom={zoomTo} />
      <ExecutionRows {...props} selected={selected} onSelect={setSelected} />
    </>
  )
}

function Lanes(
  props: TabProps & {
    executions: BuildAnswers['executions']
    whole: TimeSpan
    onZoom: (zoom: Zoom | undefined) => void
  },
): ReactElement {
  const { events, view, executions, whole, address, onZoom } = props
  const all = address.scope === 'tests' ? executions.lanes.tests : executions.lanes.work
  const lanes = Math.min(all, mostLanes)
  const { zoom } = address
  const span = zoom ? { from: whole.from + zoom.from, to: whole.from + zoom.to } : whole
  const query = { kind: 'spans', view: lanesView(address), span, columns, lanes } as const
  const { data } = useAnswer(events, query, stampOf(view.parts.executions))
  return (
    <LaneStrip
      spans={data ?? { failed: [], worked: [], avoided: [], unknown: [] }}
      lanes={lanes}
      hiddenLanes={all - lanes}
      {...{ columns, whole, zoom, onZoom }}
    />
  )
}

/** What stretch of time is looked at, and buttons to look closer or further. */
function ZoomButtons({
  zoom,
  length,
  onZoom,
}: {
  zoom: Zoom | undefined
  length: number
  onZoom: (zoom: Zoom | undefined) => void
}): ReactElement {
  const buttons = [
    ['Zoom in', '+', zoomed(zoom, length, 0.5)],
    ['Zoom out', '−', zoomed(zoom, length, 2)],
  ] as const
  return (
    <Group gap={4} ml="auto" wrap="nowrap" role="group" aria-label="Zoom">
      {zoom !== undefined && (
        <Text span fz="xs" c="dimmed">
          {`${exactDuration(zoom.to - zoom.from)} from ${exactDuration(zoom.from)}`}
        </Text>
      )}
      {buttons.map(([label, sign, next]) => (
        <Button
          key={label}
          size="xs"
          variant="default"
          aria-label={label}
          title={label}
          onClick={() => {
            onZoom(next)
          }}
        >
          {sign}
        </Button>
      ))}
      <Button
        size="xs"
        variant="default"
        disabled={zoom === undefined}
        onClick={() => {
          onZoom(undefined)
        }}
      >
        Whole build
      </Button>
    </Group>
  )
}

/** Narrows to executions by what they had of the build cache. */
function CacheMenu({
  chosen,
  onChange,
}: {
  chosen: readonly CacheUse['kind'][]
  onChange: (chosen: readonly CacheUse['kind'][]) => void
}): ReactElement {
  return (
    <NativeSelect
      aria-label="Build cache"
      value={chosen[0] ?? ''}
      data={[
        { value: '', label: 'Any cache use' },
        ...cacheKinds.map((kind) => ({ value: kind, label: cacheWords[kind] })),
      ]}
      onChange={(event) => {
        const kind = cacheKinds.find((known) => known === event.currentTarget.value)
        onChange(kind === undefined ? [] : [kind])
      }}
    />
  )
}
