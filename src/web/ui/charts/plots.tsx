import { type ReactElement, useMemo, useState } from 'react'
import {
  CartesianGrid,
  ComposedChart,
  Line,
  LineChart as Lines,
  ReferenceLine,
  Tooltip,
  XAxis,
  YAxis,
  useXAxisScale,
  useYAxisScale,
} from 'recharts'
import { countText } from '../../../protocol/count.ts'
import { type ChartBar, type ChartSeries, maximumOf, seriesPaths } from './bar-scale.ts'
import { BarSelection } from './bar-selection.tsx'
import { type BarChartProps, ChartTip } from './chart-parts.tsx'
import { dotRadius, labeledPlaces, type LineChartProps, valueText } from './line-values.ts'
import css from './charts.module.css'

/** A word at an axis. */
const tick = { fill: 'var(--ink-dim)', fontSize: 12 }

interface TickProps {
  readonly x: number | string
  readonly y: number | string
  readonly payload: { readonly value: number }
}

const plot = {
  responsive: true,
  style: { width: '100%', height: '100%' },
  margin: { top: 6, right: 0, bottom: 0, left: 0 },
  accessibilityLayer: false,
}

// The room of the axes, px, is as in charts.module.css, where the selection lies over the plot only.
const lowerAxis = (count: number, middle: number) => ({
  dataKey: 'place',
  type: 'number' as const,
  domain: [0, count],
  allowDataOverflow: true,
  ticks: [...labeledPlaces(count, middle)],
  interval: 0,
  height: 16,
  tickLine: false,
  axisLine: { stroke: 'var(--line-strong)' },
})
const sideAxis = (max: number) => ({
  type: 'number' as const,
  domain: [0, max],
  ticks: [0, max / 2, max],
  interval: 0,
  width: 84,
  tickLine: false,
  axisLine: false,
})
const tooltip = {
  isAnimationActive: false,
  cursor: { stroke: 'var(--ink-dim)', strokeDasharray: '2 2' },
  wrapperStyle: { visibility: 'visible', zIndex: 1 } as const,
}

/**
 * The drawing of a BarChart. Its axes and grid stay as they are while the numbers tick, and each
 * series is one path: an update takes a fraction of what recharts' own bars do (bench/charts).
 */
export function BarPlot(latest: BarChartProps): ReactElement {
  // Bars that are being drawn over stay: with more data, others would stand at their places.
  const [held, setHeld] = useState<BarChartProps>()
  const props = held ?? latest
  const { bars, series, unit, summary, end = axisLabelOf(bars.at(-1)), least = 0 } = props
  const max = maximumOf(bars)
  const count = Math.max(bars.length, least)
  const places = useMemo(
    () => Array.from({ length: count }, (_, i) => ({ place: i + 0.5 })),
    [count],
  )
  const middle = Math.floor(bars.length / 2)
  const first = axisLabelOf(bars.at(0))
  const half = end === '' ? '' : axisLabelOf(bars.at(middle))
  const axes = useMemo(
    () => (
      <>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          {...lowerAxis(count, middle)}
          tick={({ x, y, payload }: TickProps) => (
            <text
              x={x}
              y={Number(y) + 6}
              {...tick}
              textAnchor={
                payload.value === 0 ? 'start' : payload.value === count ? 'end' : 'middle'
              }
            >
              {payload.value === 0 ? first : payload.value === count ? end : half}
            </text>
          )}
        />
        <YAxis
          {...sideAxis(max)}
          allowDataOverflow
          tick={({ x, y, payload }: TickProps) => (
            <text y={Number(y) + 4} {...tick} textAnchor="end">
              {payload.value === max && (
                // In two lines, so that a million in ten minutes has room.
                <>
                  <tspan x={x}>{countText(max)}</tspan>
                  <tspan x={x} dy="1.2em">
                    {unit}
                  </tspan>
                </>
              )}
              {payload.value === 0 && <tspan x={x}>0</tspan>}
            </text>
          )}
        />
      </>
    ),
    [count, middle, first, half, end, max, unit],
  )
  const chart = (
    <div role="img" aria-label={summary} className={css.plot}>
      <ComposedChart {...plot} data={places}>
        {axes}
        <SeriesPaths bars={bars} series={series} />
        <Tooltip
          {...tooltip}
          content={({ active, label }) => {
            const bar = active ? bars[Math.floor(Number(label))] : undefined
            return bar === undefined ? null : <ChartTip bar={bar} series={series} />
          }}
        />
      </ComposedChart>
    </div>
  )
  return props.onSelect === undefined ? (
    chart
  ) : (
    <BarSelection
      {...props}
      onSelect={props.onSelect}
      onDrawing={(isDrawing) => {
        setHeld(isDrawing ? props : undefined)
      }}
      count={count}
    >
      {chart}
    </BarSelection>
  )
}

function axisLabelOf(bar: ChartBar | undefined): string {
  return bar?.axisLabel ?? bar?.label ?? ''
}

function SeriesPaths({
  bars,
  series,
}: {
  bars: readonly ChartBar[]
  series: readonly ChartSeries[]
}): ReactElement | null {
  const x = useXAxisScale()
  const y = useYAxisScale()
  if (x === undefined || y === undefined) return null
  const paths = seriesPaths(
    bars,
    series.length,
    (place) => Math.round((x(place) ?? 0) * 10) / 10,
    (value) => Math.round((y(value) ?? 0) * 10) / 10,
  )
  return (
    <g>
      {series.map(({ name, color }, index) => (
        <path key={name} fill={color} d={paths[index]} />
      ))}
    </g>
  )
}

/** Single values among places without one are drawn as dots. */
const dot = { strokeWidth: 1 }

/** The drawing of a LineChart. */
export function LinePlot(latest: LineChartProps): ReactElement {
  // What is being drawn over stays: with more data, other places would stand there.
  const [held, setHeld] = useState<LineChartProps>()
  const props = held ?? latest
  const { places, lines, format, maximumFor, summary, end, marks = [] } = props
  const count = Math.max(1, places.length)
  const rows = useMemo(
    () =>
      places.map((_, index) => ({
        place: index + 0.5,
        values: lines.map(({ values }) => values[index] ?? null),
      })),
    [places, lines],
  )
  const highest = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const max = maximumFor(highest)
  const middle = Math.floor(count / 2)
  const axisLabel = (index: number): string =>
    places[index]?.axisLabel ?? places[index]?.label ?? ''
  const labels = new Map([
    [middle, { text: axisLabel(middle), anchor: 'middle' as const }],
    [0, { text: axisLabel(0), anchor: 'start' as const }],
    [count, { text: end, anchor: 'end' as const }],
  ])
  const chart = (
    <div role="img" aria-label={summary} className={css.plot}>
      <Lines {...plot} data={rows}>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          {...lowerAxis(count, middle)}
          tick={({ x, y, payload }: TickProps) => {
            const label = labels.get(payload.value)
            return (
              <text
                x={x}
                y={Number(y) + 6}
                {...tick}
                textAnchor={label?.anchor}
                data-anchor={label?.anchor}
              >
                {label?.text}
              </text>
            )
          }}
        />
        <YAxis
          {...sideAxis(max)}
          tick={({ x, y, payload }: TickProps) => (
            <text x={x} y={Number(y) + 4} {...tick} textAnchor="end">
              {payload.value === 0 ? '0' : format(payload.value)}
            </text>
          )}
        />
        {marks.map(({ place, label }) => (
          <ReferenceLine
            key={label}
            x={place}
            stroke="var(--ink-dim)"
            strokeDasharray="2 3"
            ifOverflow="hidden"
          />
        ))}
        {lines.map(({ name, color, isDashed, values: known }, index) => (
          <Line
            key={name}
            name={name}
            dataKey={({ values }: (typeof rows)[number]) => values[index]}
            stroke={color}
            strokeWidth={isDashed === true ? 1.25 : 2}
            {...(isDashed === true ? { strokeDasharray: '4 3' } : {})}
            dot={isDashed === true ? false : { ...dot, r: dotRadius(known), fill: color }}
            isAnimationActive={false}
            connectNulls
          />
        ))}
        <Tooltip
          {...tooltip}
          content={({ active, label }) => {
            const index = Math.floor(Number(label))
            const place = active ? places[index] : undefined
            if (place === undefined) return null
            const here = marks.filter((mark) => Math.floor(mark.place) === index)
            return (
              <div className={css.tip}>
                <strong>{place.label}</strong>
                {lines.map(({ name, values }) => (
                  <span key={name}>{`${name}: ${valueText(values[index], format)}`}</span>
                ))}
                {here.map((mark) => (
                  <span key={mark.label}>{mark.label}</span>
                ))}
              </div>
            )
          }}
        />
      </Lines>
    </div>
  )
  return props.onSelect === undefined ? (
    chart
  ) : (
    <BarSelection
      series={[]}
      bars={places.map((place, index) => ({
        ...place,
        values: [],
        text: lines
          .map(({ name, values }) => `${name} ${valueText(values[index], format)}`)
          .join(', '),
      }))}
      {...(props.selectLabel === undefined ? {} : { selectLabel: props.selectLabel })}
      onSelect={props.onSelect}
      onDrawing={(isDrawing) => {
        setHeld(isDrawing ? props : undefined)
      }}
      count={count}
    >
      {chart}
    </BarSelection>
  )
}
