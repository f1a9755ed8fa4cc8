import { type KeyboardEvent, type PointerEvent, type ReactElement, useMemo, useState } from 'react'
import { countOf, countText } from '../../../protocol/count.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { OutcomeBars } from '../../domain/build-table/outcome-bars.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { dayText, durationText, timeOfDayText, type Zone } from '../../ui/format.ts'
import css from './builds.module.css'
import { type TimeBuckets, timeBuckets } from './time-buckets.ts'

const day = 86_400_000

/** The builds found over time by outcome; drawing over some of them narrows the query to their time. */
export function TimeChart({
  builds,
  onNarrow,
}: {
  builds: readonly Facts[]
  /** Told the beginning, and the end, which is exclusive; epoch ms. */
  onNarrow: (from: number, to: number) => void
}): ReactElement | null {
  const { zone } = usePreferences()
  const counted = useMemo(() => timeBuckets(builds, offsetOf(zone)), [builds, zone])
  if (counted === undefined) return null
  const { step, buckets } = counted
  const labels = buckets.map(({ at }) => bucketLabel(at, counted, zone))
  const last = buckets.at(-1)
  const unit = step === day ? 'a day' : `in ${durationText(step)}`
  return (
    <div className={css.chart}>
      <OutcomeBars
        bars={buckets.map((bucket, index) => ({ ...bucket, label: labels[index] ?? '' }))}
        unit={unit}
        summary={summaryOf(counted, unit)}
        stretch="Time"
        end={last === undefined ? '' : bucketLabel(last.at + step, counted, zone)}
      >
        <TimeBrush
          count={buckets.length}
          labelOf={(index) => {
            const bucket = buckets[index]
            if (bucket === undefined) return ''
            const all = bucket.failed + bucket.succeeded + bucket.unknown
            return `${labels[index] ?? ''}: ${countOf(all, 'build')}, ${countText(bucket.failed)} failed`
          }}
          onNarrow={({ first, last: until }) => {
            const [from, to] = [buckets[first], buckets[until]]
            if (from !== undefined && to !== undefined) onNarrow(from.at, to.at + step)
          }}
        />
      </OutcomeBars>
    </div>
  )
}

function bucketLabel(at: number, { step, buckets }: TimeBuckets, zone: Zone): string {
  if (step >= day) return dayText(at, zone, step > 2 * day ? 'date' : 'day')
  const time = timeOfDayText(at, zone)
  return buckets.length * step <= day / 2 ? time : `${dayText(at, zone)}, ${time}`
}

function summaryOf({ buckets }: TimeBuckets, unit: string): string {
  let [total, failed] = [0, 0]
  for (const bucket of buckets) {
    total += bucket.failed + bucket.succeeded + bucket.unknown
    failed += bucket.failed
  }
  return `Builds over time by outcome, ${unit}: ${countOf(total, 'build')}, ${countText(failed)} failed.`
}

/** Of the clock of the viewer to UTC, ms; that of this day serves, as bars are only aligned by it. */
function offsetOf(zone: Zone): number {
  return zone === 'utc' ? 0 : -60_000 * new Date().getTimezoneOffset()
}

/** Bars from the first up to and with the last. */
interface BarRange {
  readonly first: number
  readonly last: number
}

/**
 * Lies over bars and lets some of them be chosen: by drawing over them, or with two handles by the
 * arrow keys and Enter.
 */
function TimeBrush({
  count,
  labelOf,
  onNarrow,
}: {
  count: number
  labelOf: (index: number) => string
  onNarrow: (range: BarRange) => void
}): ReactElement {
  const [drawn, setDrawn] = useState<{ readonly from: number; readonly to: number }>()
  const [hovered, setHovered] = useState<number>()
  const range = drawn && ordered(drawn)

  function indexAt({ currentTarget, clientX }: PointerEvent): number {
    const { left, width } = currentTarget.getBoundingClientRect()
    return Math.min(count - 1, Math.max(0, Math.floor(((clientX - left) / width) * count)))
  }

  function finish(wanted: BarRange | undefined): void {
    setDrawn(undefined)
    if (wanted !== undefined) onNarrow(wanted)
  }

  const handles = { count, labelOf, range: range ?? { first: 0, last: count - 1 } }
  const onSet = (next: BarRange): void => {
    setDrawn({ from: next.first, to: next.last })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault()
      finish(range)
    } else if (event.key === 'Escape' && range !== undefined) {
      event.preventDefault()
      finish(undefined)
    }
  }
  return (
    <div
      className={css.brush}
      role="group"
      aria-label="Narrow the time: set both ends with the arrow keys, then press Enter"
      title={hovered === undefined ? undefined : labelOf(hovered)}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        const at = indexAt(event)
        setDrawn({ from: at, to: at })
      }}
      onPointerMove={(event) => {
        const at = indexAt(event)
        setHovered(at)
        if (event.currentTarget.hasPointerCapture(event.pointerId) && drawn !== undefined) {
          setDrawn({ ...drawn, to: at })
        }
      }}
      onPointerUp={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) finish(range)
      }}
      onPointerCancel={() => {
        finish(undefined)
      }}
      onKeyDown={onKeyDown}
    >
      {range !== undefined && (
        <div
          className={css.range}
          style={{
            left: `${(100 * range.first) / count}%`,
            width: `${(100 * (range.last - range.first + 1)) / count}%`,
          }}
        />
      )}
      <Handle end="first" {...handles} onSet={onSet} />
      <Handle end="last" {...handles} onSet={onSet} />
    </div>
  )
}

function Handle({
  end,
  count,
  range,
  labelOf,
  onSet,
}: {
  end: keyof BarRange
  count: number
  range: BarRange
  labelOf: (index: number) => string
  onSet: (range: BarRange) => void
}): ReactElement {
  const [min, max] = end === 'first' ? [0, range.last] : [range.first, count - 1]
  const steps: Readonly<Partial<Record<string, number>>> = {
    ArrowLeft: range[end] - 1,
    ArrowDown: range[end] - 1,
    ArrowRight: range[end] + 1,
    ArrowUp: range[end] + 1,
    Home: min,
    End: max,
  }
  const place = end === 'first' ? range.first : range.last + 1
  return (
    <div
      role="slider"
      tabIndex={0}
      className={css.handle}
      style={{ left: `${(100 * place) / count}%` }}
      aria-label={end === 'first' ? 'From' : 'To'}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={range[end]}
      aria-valuetext={labelOf(range[end])}
      onKeyDown={(event) => {
        const to = steps[event.key]
        if (to === undefined) return
        event.preventDefault()
        onSet({ ...range, [end]: Math.min(max, Math.max(min, to)) })
      }}
    />
  )
}

function ordered({ from, to }: { from: number; to: number }): BarRange {
  return { first: Math.min(from, to), last: Math.max(from, to) }
}
