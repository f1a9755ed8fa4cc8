import { type ReactElement, useMemo } from 'react'
import type { Facts } from '../../../protocol/facts.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { dayText, durationText, timeOfDayText, type Zone } from '../../ui/format.ts'
import { OutcomeBars } from '../../domain/build-table/outcome-bars.tsx'
import { TimeBrush } from './time-brush.tsx'
import { type TimeBuckets, timeBuckets } from './time-buckets.ts'
import css from './time-chart.module.css'

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
