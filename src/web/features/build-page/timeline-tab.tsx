import { Button, Group, NativeSelect, SegmentedControl, Stack, Text } from '@mantine/core'
import { type PointerEvent, type ReactElement, useRef, useState } from 'react'
import { type CacheUse, executionOutcomes } from '../../../facts/execution.ts'
import { type LaneSpans, type SpanTone, spanTones, type TimeSpan } from '../../../facts/timeline.ts'
import { countOf } from '../../../protocol/count.ts'
import type { BuildAnswers } from '../../data/build/build-event-messages.ts'
import { useKeys } from '../../ui/keys.tsx'
import { toggled } from '../../data/core/search-state.ts'
import layout from '../../ui/page.module.css'
import { cacheKinds, type Zoom } from './build-address.ts'
import css from './tables.module.css'
import { stampOf, type TabProps, useAnswer } from './use-knowledge.ts'
import { ExecutionRows, lanesView, scopeCounts } from './execution-rows.tsx'
import { NoExecutions, PartNotice, PartProgress } from './part-notice.tsx'
import { ChoiceChips, SearchField } from './table-filters.tsx'
import { cacheWords, exactDuration, outcomeWords, scopeWords } from './words.ts'
import { useOpenedRow } from './windowed-table.tsx'
import { dragged, panned, timeTicks, zoomed } from './zoom.ts'

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
  const { executions, whole, address } = props
  const opened = useOpenedRow(props)
  const { narrow } = opened
  const field = useRef<HTMLInputElement>(null)
  const length = whole.to - whole.from
  const counts = scopeCounts(executions.counts, address.scope)
  const hasBoth = executions.lanes.tests > 0 && executions.lanes.work > 0

  function zoomTo(zoom: Zoom | undefined): void {
    narrow({ zoom }, true)
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
            narrow({ search }, true)
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
      <ExecutionRows {...props} opened={opened} />
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

const laneHeight = 10

const toneWords: Readonly<Record<SpanTone, string>> = {
  failed: 'failed',
  worked: 'ran',
  avoided: 'avoided: from cache, up to date, no source, skipped',
  unknown: 'not finished',
}

/** What the workers of a build did, over time; a drag over it looks closer. */
function LaneStrip({
  spans,
  lanes,
  hiddenLanes,
  columns,
  whole,
  zoom,
  onZoom,
}: {
  spans: LaneSpans
  /** How many lanes are drawn, and how many more there are. */
  lanes: number
  hiddenLanes: number
  columns: number
  whole: TimeSpan
  zoom: Zoom | undefined
  onZoom: (zoom: Zoom) => void
}): ReactElement {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number }>()
  const length = whole.to - whole.from
  const seen = zoom ?? { from: 0, to: length }
  const drawnLanes = Math.max(lanes, 1)

  function begin(event: PointerEvent<HTMLDivElement>): void {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    setDrag({ from: placeOf(event), to: placeOf(event) })
  }

  function end(): void {
    setDrag(undefined)
    const chosen = drag && dragged(zoom, length, drag.from, drag.to)
    if (chosen !== undefined) onZoom(chosen)
  }

  return (
    <Stack component="figure" gap={0}>
      <div
        className={`${layout.box} ${css.strip}`}
        onPointerDown={begin}
        onPointerMove={(event) => {
          const to = placeOf(event)
          setDrag((now) => now && { ...now, to })
        }}
        onPointerUp={end}
        onPointerCancel={() => {
          setDrag(undefined)
        }}
      >
        <svg
          display="block"
          width="100%"
          viewBox={`0 0 ${columns} ${drawnLanes * laneHeight}`}
          style={{ height: Math.min(Math.max(drawnLanes * laneHeight, 24), 160) }}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Work on ${countOf(lanes + hiddenLanes, 'lane')} over time. Drag, or press plus and minus, to zoom.`}
        >
          {spanTones.map((tone) => (
            <path key={tone} data-span={tone} d={pathOf(spans, tone)} />
          ))}
        </svg>
        {drag !== undefined && (
          <div
            className={css.drag}
            style={{
              left: `${Math.min(drag.from, drag.to) * 100}%`,
              width: `${Math.abs(drag.to - drag.from) * 100}%`,
            }}
          />
        )}
      </div>
      <TimeAxis from={seen.from} to={seen.to} />
      <Group component="figcaption" mih="1lh" gap="0 16px" align="stretch" fz="xs" c="dimmed">
        {spanTones
          .filter((tone) => spans[tone].length > 0)
          .map((tone) => (
            <Group key={tone} component="span" gap={6} className={css.entry} data-span={tone}>
              {toneWords[tone]}
            </Group>
          ))}
        {hiddenLanes > 0 && `${countOf(hiddenLanes, 'more lane')} not drawn`}
      </Group>
    </Stack>
  )
}

/** Rectangles of one tone as one path: a few thousand elements would be slow. */
function pathOf(spans: LaneSpans, tone: SpanTone): string {
  const list = spans[tone]
  let path = ''
  for (let index = 0; index + 2 < list.length; index += 3) {
    const [lane = 0, from = 0, to = 0] = list.slice(index, index + 3)
    path += `M${from} ${lane * laneHeight + 1}H${to}v${laneHeight - 2}H${from}z`
  }
  return path
}

/** Where the pointer is, from 0 at the left to 1 at the right. */
function placeOf(event: PointerEvent<HTMLDivElement>): number {
  const { left, width } = event.currentTarget.getBoundingClientRect()
  return Math.min(1, Math.max(0, (event.clientX - left) / Math.max(width, 1)))
}

/** Marks of time since the build's first execution, ms. */
function TimeAxis({ from, to }: { from: number; to: number }): ReactElement {
  const length = Math.max(to - from, 1)
  return (
    <div className={css.axis} aria-hidden="true">
      {timeTicks(from, to, 6).map(({ at, label }) => {
        const place = ((at - from) / length) * 100
        return place > 99 ? null : (
          <span key={at} data-end={place > 80 || undefined} style={{ left: `${place}%` }}>
            {label}
          </span>
        )
      })}
    </div>
  )
}
