import { Group, Stack } from '@mantine/core'
import { type PointerEvent, type ReactElement, useState } from 'react'
import { type LaneSpans, type SpanTone, spanTones, type TimeSpan } from '../../../facts/timeline.ts'
import { countOf } from '../../../protocol/count.ts'
import type { Zoom } from './build-address.ts'
import layout from '../../ui/page.module.css'
import css from './tables.module.css'
import { dragged, timeTicks } from './zoom.ts'

const laneHeight = 10

const toneWords: Readonly<Record<SpanTone, string>> = {
  failed: 'failed',
  worked: 'ran',
  avoided: 'avoided: from cache, up to date, no source, skipped',
  unknown: 'not finished',
}

/** What the workers of a build did, over time; a drag over it looks closer. */
export function LaneStrip({
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
            <span key={tone} className={css.entry} data-span={tone}>
              {toneWords[tone]}
            </span>
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
