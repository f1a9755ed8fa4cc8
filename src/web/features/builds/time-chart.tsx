import { Box, Text } from '@mantine/core'
import { type ReactElement, useMemo } from 'react'
import { countOf, countText } from '../../../protocol/count.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { outcomeSeries, outcomeValues } from '../../domain/build-table/outcome-series.ts'
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { dayText, durationText, timeOfDayText, type Zone } from '../../ui/format.ts'
import css from './builds.module.css'
import { type TimeBuckets, timeBuckets } from './time-buckets.ts'

const day = 86_400_000

/** The builds found over time by outcome; a click on a bar, or drawing over some, narrows the query to their time. */
export function TimeChart({
  builds,
  isAwaited,
  onNarrow,
}: {
  builds: readonly Facts[]
  /** Builds may still come: its place is kept. */
  isAwaited: boolean
  /** `to` is exclusive; epoch ms. */
  onNarrow: (from: number, to: number) => void
}): ReactElement | null {
  const { zone } = usePreferences()
  const counted = useMemo(() => timeBuckets(builds, offsetOf(zone)), [builds, zone])
  if (counted === undefined) return isAwaited ? <Box className={css.chart} h={88} /> : null
  const { step, buckets } = counted
  const left = outlyingText(counted)
  const last = buckets.at(-1)
  const unit = step === day ? 'a day' : `in ${durationText(step)}`
  return (
    <div className={css.chart}>
      <BarChart
        bars={buckets.map((bucket) => ({
          id: bucket.at,
          label: bucketLabel(bucket.at, counted, zone),
          values: outcomeValues(bucket),
        }))}
        series={outcomeSeries}
        unit={unit}
        summary={summaryOf(counted, unit)}
        heading="Time"
        end={last === undefined ? '' : bucketLabel(last.at + step, counted, zone)}
        selectLabel="Select a time range: set both ends with the arrow keys, then press Enter"
        onSelect={(first, until) => {
          const [from, to] = [buckets[first], buckets[until]]
          if (from !== undefined && to !== undefined) onNarrow(from.at, to.at + step)
        }}
      />
      {left !== undefined && (
        <Text fz="xs" c="dimmed">
          {left}
        </Text>
      )}
    </div>
  )
}

/** What the bars leave out; undefined where they leave out nothing. */
export function outlyingText({
  before,
  after,
}: Pick<TimeBuckets, 'before' | 'after'>): string | undefined {
  if (before + after === 0) return undefined
  const parts = [
    before > 0 && `${countOf(before, 'build')} long before`,
    after > 0 && `${countOf(after, 'build')} long after`,
  ]
  return `Not in the chart: ${parts.filter((part) => part !== false).join(' and ')} the others.`
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
