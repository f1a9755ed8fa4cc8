import { Box, Text, Title } from '@mantine/core'
import { type ReactElement, useMemo } from 'react'
import { Link } from 'react-router'
import { countText } from '../../../protocol/count.ts'
import type { DurationStep } from '../../../facts/insight/duration-step.ts'
import { stretchAt } from '../../../facts/insight/trends.ts'
import type { BuildTrends, TrendPoint } from '../../../protocol/insight.ts'
import { outcomeSeries, outcomesText } from '../../domain/build-table/outcome-series.ts'
import { BarChart, LineChart } from '../../ui/charts/charts.tsx'
import type { ChartLine } from '../../ui/charts/line-values.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { dayText, durationText, timeOfDayText, type Zone } from '../../ui/format.ts'
import { cacheRateOf, percentText, rateOf, stepText, totalOf } from './insight-sentence.ts'
import layout from '../../ui/page.module.css'
import hidden from '../../ui/text.module.css'
import css from './insight.module.css'
import { daysLabel } from './time-chart.tsx'
import { niceDuration } from './trend-shape.ts'

const day = 86_400_000
const colors = [1, 2, 3, 4, 5].map((place) => `var(--series-${place})`)

/** What the charts are of. */
export interface TrendChartsProps {
  readonly now: BuildTrends
  /** The time before, cut at the same places; undefined where there is none. */
  readonly before: BuildTrends | undefined
  /** The width of the stretches of time, ms; those of days may be an hour shorter or longer. */
  readonly step: number
  /** When the last one ends, epoch ms. */
  readonly end: number
  readonly steps: readonly DurationStep[]
  /** What the time before is called: "7 days". */
  readonly period: string
  /** What is said where nothing is known of the build cache. */
  readonly cacheAbsence: string
  /** `to` is exclusive; epoch ms. */
  readonly onNarrow: (from: number, to: number) => void
}

/** The trends of builds, a chart each; drawing over one narrows the query to its time. */
export function TrendCharts(props: TrendChartsProps): ReactElement {
  const { now, step, end, steps, onNarrow } = props
  const { zone } = usePreferences()
  const all = now.series.find(({ key }) => key === null) ?? now.series[0]
  const points = useMemo(() => all?.points ?? [], [all])
  const places = useMemo(
    () =>
      points.map(({ from }) => ({
        id: from,
        label: step >= day ? daysLabel(from, step, zone) : placeLabel(from, step, zone),
      })),
    [points, step, zone],
  )
  const { builds, succeeded, failed } = totalOf(now) ?? { builds: 0, succeeded: 0, failed: 0 }
  const unit = step === day ? 'a day' : `in ${durationText(step)}`
  /** When each stretch begins, and the last one ends. */
  const bounds = [...points.map(({ from }) => from), end]
  const endLabel = placeLabel(Math.min(now.to, end), step, zone)
  const select = {
    selectLabel: 'Select a time range: set both ends with the arrow keys, then press Enter',
    onSelect: (first: number, until: number) => {
      const [from, to] = [bounds[first], bounds[until + 1]]
      if (from !== undefined && to !== undefined) onNarrow(from, to)
    },
  }
  const shared = { places, heading: 'Time', end: endLabel, ...select }
  const success = linesOf(props, (point) => rateOf(point))
  const cache = linesOf(props, (point) => cacheRateOf(point))
  const durations = durationLines(props)
  const isKnown = (lines: readonly ChartLine[]): boolean =>
    lines.some(({ values }) => values.some((value) => value !== null))
  const marks = steps.flatMap((one) => {
    const place = stretchAt(bounds, one.at)
    const [from, to] = [bounds[place], bounds[place + 1]]
    if (from === undefined || to === undefined) return []
    return [{ place: place + (one.at - from) / (to - from), label: stepText(one, zone) }]
  })
  return (
    <div className={css.charts}>
      <Chart
        title="Success rate"
        isKnown={isKnown(success)}
        unknown="The build server gives no outcomes."
      >
        <LineChart
          {...shared}
          lines={success}
          format={percentText}
          maximumFor={() => 1}
          summary={`Success rate ${unit}, ${linesText(success)}.`}
        />
      </Chart>
      <Chart
        title="Duration"
        isKnown={isKnown(durations)}
        unknown="The build server gives no durations."
      >
        <LineChart
          {...shared}
          lines={durations}
          format={durationText}
          maximumFor={niceDuration}
          marks={marks}
          summary={`Duration of builds ${unit}, ${linesText(durations)}.`}
        />
      </Chart>
      <Chart title="Builds" isKnown unknown="">
        <BarChart
          {...buildBars(points, places)}
          series={outcomeSeries}
          unit={unit}
          heading="Time"
          end={endLabel}
          summary={`Builds by outcome ${unit}: ${outcomesText({ failed, succeeded, unknown: builds - succeeded - failed })}.`}
          {...select}
        />
      </Chart>
      <Chart title="Build cache hit rate" isKnown={isKnown(cache)} unknown={props.cacheAbsence}>
        <LineChart
          {...shared}
          lines={cache}
          format={percentText}
          maximumFor={() => 1}
          summary={`Build cache hit rate ${unit}, ${linesText(cache)}.`}
        />
      </Chart>
    </div>
  )
}

function Chart({
  title,
  isKnown,
  unknown,
  children,
}: {
  title: string
  isKnown: boolean
  /** What is said in its place. */
  unknown: string
  children: ReactElement
}): ReactElement {
  return (
    <Box component="section" miw={0} aria-label={title}>
      <Title order={2} mb={2}>
        {title}
      </Title>
      {isKnown ? children : <p className={css.about}>{unknown}</p>}
    </Box>
  )
}

/** "Nov 14", or with the time where stretches are shorter than a day. */
function placeLabel(at: number, step: number, zone: Zone): string {
  if (step >= day) return dayText(at, zone, step > 2 * day ? 'date' : 'day')
  return `${dayText(at, zone)}, ${timeOfDayText(at, zone)}`
}

/** One line for all builds with the time before in dashes, or one for each project or branch. */
function linesOf(
  { now, before, period }: TrendChartsProps,
  valueOf: (point: TrendPoint) => number | null | undefined,
): readonly ChartLine[] {
  const valuesOf = (points: readonly TrendPoint[]) => points.map((one) => valueOf(one) ?? null)
  const named = now.series.filter(({ key }) => key !== null)
  if (named.length > 0) {
    return named.slice(0, colors.length).map(({ key, points }, index) => ({
      name: key ?? '',
      color: colors[index] ?? '',
      values: valuesOf(points),
    }))
  }
  const earlier = before?.series[0]
  return now.series.slice(0, 1).flatMap(({ points }) => [
    { name: 'All builds', color: colors[0] ?? '', values: valuesOf(points) },
    ...(earlier === undefined
      ? []
      : [
          {
            name: `${period} before`,
            color: 'var(--none)',
            isDashed: true,
            values: valuesOf(earlier.points.slice(0, points.length)),
          },
        ]),
  ])
}

/** p95 and the median of all, or p95 of each project or branch. */
function durationLines(props: TrendChartsProps): readonly ChartLine[] {
  const slowest = linesOf(props, ({ p95 }) => p95)
  if (props.now.series.some(({ key }) => key !== null)) {
    return slowest.map((line) => ({ ...line, name: `${line.name}, 95th percentile` }))
  }
  const named = (name: string, lines: readonly ChartLine[], color: string): readonly ChartLine[] =>
    lines.map((line) =>
      line.isDashed === true
        ? { ...line, name: `${name}, ${line.name}`, color }
        : { ...line, name, color },
    )
  return [
    ...named('95th percentile', slowest, 'var(--series-1)'),
    ...named(
      'Median',
      linesOf(props, ({ p50 }) => p50),
      'var(--series-2)',
    ),
  ]
}

function linesText(lines: readonly ChartLine[]): string {
  return lines.map(({ name }) => name).join(', ')
}

function buildBars(
  points: readonly TrendPoint[],
  places: readonly { readonly id: number; readonly label: string }[],
) {
  const bars = points.map(({ builds, succeeded, failed }, index) => ({
    ...(places[index] ?? { id: index, label: '' }),
    values: [failed, succeeded, builds - succeeded - failed],
  }))
  return { bars }
}

/** The whole time in numbers, all builds first, each beside the time before. */
export function TrendTable({
  now,
  before,
  period,
  heading,
  linkTo,
}: {
  now: BuildTrends
  before: BuildTrends | undefined
  /** What the time before is called: "7 days". */
  period: string
  /** What the rows are of: "Project". */
  heading: string
  /** Where a row leads: to its builds. */
  linkTo: (key: string) => string | undefined
}): ReactElement {
  const hasCache = now.series.some(
    ({ total }) => total !== undefined && cacheRateOf(total) !== undefined,
  )
  const cell = (
    value: (point: TrendPoint) => number | null | undefined,
    format: (value: number) => string,
    point: TrendPoint | undefined,
    earlier: TrendPoint | undefined,
  ): ReactElement => {
    const [here, there] = [point, earlier].map((one) => one && value(one))
    return (
      <td data-number>
        {typeof here === 'number' ? format(here) : '–'}
        {typeof there === 'number' && (
          <Text span display="block" fz="xs" c="dimmed">
            {`${format(there)} before`}
          </Text>
        )}
      </td>
    )
  }
  return (
    <div
      className={layout.box}
      style={{ overflowX: 'auto' }}
      tabIndex={0}
      role="region"
      aria-label="Totals"
    >
      {/* As wide as "1 min 12 s before" takes. */}
      <table className={css.table} style={{ tableLayout: 'auto' }}>
        <caption className={hidden.unseen}>
          {before === undefined ? 'Totals' : `Totals, beside the ${period} before`}
        </caption>
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            <th scope="col" data-number>
              Builds
            </th>
            <th scope="col" data-number>
              Succeeded
            </th>
            <th scope="col" data-number>
              Median
            </th>
            <th scope="col" data-number>
              95th percentile
            </th>
            {hasCache && (
              <th scope="col" data-number>
                Cache hits
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {now.series.map(({ key, total }) => {
            const earlier = before?.series.find((one) => one.key === key)?.total
            const to = key === null ? undefined : linkTo(key)
            return (
              <tr key={key ?? ''}>
                <th scope="row">
                  {to === undefined ? (key ?? 'All builds') : <Link to={to}>{key}</Link>}
                </th>
                {cell(({ builds }) => builds, countText, total, earlier)}
                {cell(rateOf, percentText, total, earlier)}
                {cell(({ p50 }) => p50, durationText, total, earlier)}
                {cell(({ p95 }) => p95, durationText, total, earlier)}
                {hasCache && cell(cacheRateOf, percentText, total, earlier)}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
