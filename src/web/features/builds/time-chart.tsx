import { Box, Text } from '@mantine/core'
import { type ReactElement, useMemo } from 'react'
import { stretchAt, timeSpan } from '../../../facts/insight/trends.ts'
import { countOf } from '../../../protocol/count.ts'
import type { Facts } from '../../../protocol/facts.ts'
import {
  outcomeSeries,
  outcomesText,
  outcomeValues,
} from '../../domain/build-table/outcome-series.ts'
import { BarChart } from '../../ui/charts/charts.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { dayText, durationText, timeOfDayText, viewerZone, type Zone } from '../../ui/format.ts'
import css from './builds.module.css'
import { cutTime } from './trend-shape.ts'

/** The builds found over time by outcome; a click on a bar, or drawing over some, narrows the query to their time. */
export function TimeChart({
  builds,
  isStale,
  isAwaited,
  reached,
  onNarrow,
}: {
  builds: readonly Facts[]
  /** Whether the builds are those of an earlier query. */
  isStale: boolean
  /** Builds may still come: its place is kept. */
  isAwaited: boolean
  /** Back to when builds were read by when they were received, epoch ms; undefined where all were. */
  reached: number | undefined
  /** `to` is exclusive; epoch ms. */
  onNarrow: (from: number, to: number) => void
}): ReactElement | null {
  const { zone } = usePreferences()
  const [known, earlier] = useMemo(() => sinceReached(builds, reached), [builds, reached])
  const counted = useMemo(
    () => timeBuckets(known, viewerZone(zone), earlier === 0 ? fewestBars : 1),
    [known, earlier, zone],
  )
  if (counted === undefined)
    return isAwaited ? (
      <div className={css.chart}>
        <Box h={88} />
        <LeftOut />
      </div>
    ) : null
  const { step, buckets } = counted
  const left = [outlyingText(counted), earlierText(earlier, timeOfDayText(reached ?? 0, zone))]
    .filter(Boolean)
    .join(' ')
  const last = buckets.at(-1)
  const unit = step === day ? 'a day' : `in ${durationText(step)}`
  return (
    <div className={css.chart} aria-busy={isStale}>
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
        end={last === undefined ? '' : bucketLabel(last.end, counted, zone)}
        selectLabel="Select a time range: set both ends with the arrow keys, then press Enter"
        onSelect={(first, until) => {
          const [from, to] = [buckets[first], buckets[until]]
          if (from !== undefined && to !== undefined) onNarrow(from.at, to.end)
        }}
      />
      <LeftOut text={left} />
    </div>
  )
}

/** What the bars leave out; it keeps its place where that is nothing, as the list below stays in its own. */
function LeftOut({ text }: { text?: string }): ReactElement {
  return (
    <Text fz="xs" c="dimmed" mih="1lh">
      {text}
    </Text>
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

/**
 * The builds that started since the list goes back to, and how many started before. Of that time it has only those that took
 * long: bars of them would show a lull that wasn't there. All builds where none started later.
 */
export function sinceReached(
  builds: readonly Facts[],
  reached: number | undefined,
): readonly [known: readonly Facts[], earlier: number] {
  const known = reached === undefined ? builds : builds.filter((one) => timeOf(one) >= reached)
  return known.length === 0 ? [builds, 0] : [known, builds.length - known.length]
}

/** What is left out of builds that started before `time`; undefined where there are none. */
export function earlierText(earlier: number, time: string): string | undefined {
  if (earlier === 0) return undefined
  return `Not in the chart: ${countOf(earlier, 'build')} that started before ${time}, as not all of those are loaded.`
}

/**
 * When a bar of `step` ms, whole days, begins: "Nov 14". Where it begins at another time of the viewer's than midnight, as those
 * do that a build server counted by the days of UTC, with that: "Oct 29, 01:00".
 */
export function daysLabel(at: number, step: number, zone: Zone): string {
  const time = timeOfDayText(at, zone)
  const date = dayText(at, zone, step > 2 * day ? 'date' : 'day')
  return time === '00:00' ? date : `${date}, ${time}`
}

function bucketLabel(at: number, { step, buckets }: TimeBuckets, zone: Zone): string {
  if (step >= day) return daysLabel(at, step, zone)
  const time = timeOfDayText(at, zone)
  return buckets.length * step <= day / 2 ? time : `${dayText(at, zone)}, ${time}`
}

function summaryOf({ buckets }: TimeBuckets, unit: string): string {
  const total = { failed: 0, succeeded: 0, unknown: 0 }
  for (const bucket of buckets) {
    total.failed += bucket.failed
    total.succeeded += bucket.succeeded
    total.unknown += bucket.unknown
  }
  return `Builds over time by outcome, ${unit}: ${outcomesText(total)}.`
}

/** Builds that started within one stretch of time, by outcome. */
interface TimeBucket {
  /** The beginning of the stretch, and its end, epoch ms. */
  readonly at: number
  readonly end: number
  readonly failed: number
  readonly succeeded: number
  readonly unknown: number
}

/** Builds over time: stretches of `step` ms, or of calendar days, without gaps, oldest first. */
interface TimeBuckets {
  readonly step: number
  readonly buckets: readonly TimeBucket[]
  /** Builds that are outlying: they have no bar. */
  readonly before: number
  readonly after: number
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const steps = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((count) => count * day),
]
const mostBars = 60
const fewestBars = 24

/** When a build started, or where that is not known, when it was received; epoch ms. */
function timeOf({ startTime, receivedAt }: Facts): number {
  return startTime ?? receivedAt
}

/** Counts builds in `fewest` (24) to 60 stretches of a round length, by the clocks of a zone (IANA). Undefined where there is no build. */
export function timeBuckets(
  builds: readonly Facts[],
  timeZone: string,
  fewest = fewestBars,
): TimeBuckets | undefined {
  const times = Float64Array.from(builds, timeOf).sort()
  const span = timeSpan(times)
  if (span === undefined) return undefined
  const { from, to: last, before, after } = span
  const { step, bounds } = cutTime({ from, last, steps, most: mostBars, fewest }, timeZone)
  const buckets = bounds.slice(1).map((end, index) => ({
    ...{ at: bounds[index] ?? end, end },
    ...{ failed: 0, succeeded: 0, unknown: 0 },
  }))
  for (const facts of builds) {
    const bucket = buckets[stretchAt(bounds, timeOf(facts))]
    if (bucket !== undefined) bucket[facts.outcome ?? 'unknown'] += 1
  }
  return { step, buckets, before, after }
}
