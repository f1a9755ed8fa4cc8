import { type ReactElement, useMemo, useState } from 'react'
import {
  CartesianGrid,
  ComposedChart,
  Tooltip,
  XAxis,
  YAxis,
  useXAxisScale,
  useYAxisScale,
} from 'recharts'
import { countText } from '../../../protocol/count.ts'
import {
  axisHeight,
  axisWidth,
  type BarChartProps,
  ChartTip,
  margin,
  tick,
} from './chart-parts.tsx'
import { type ChartBar, type ChartSeries, maximumOf, seriesPaths } from './bar-scale.ts'
import { BarSelection } from './bar-selection.tsx'
import { labeledPlaces } from './line-values.ts'
import css from './charts.module.css'

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
          dataKey="place"
          type="number"
          domain={[0, count]}
          allowDataOverflow
          ticks={[...labeledPlaces(count, middle)]}
          interval={0}
          height={axisHeight}
          tickLine={false}
          axisLine={{ stroke: 'var(--line-strong)' }}
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
          type="number"
          domain={[0, max]}
          allowDataOverflow
          ticks={[0, max / 2, max]}
          interval={0}
          width={axisWidth}
          tickLine={false}
          axisLine={false}
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
      <ComposedChart
        responsive
        style={{ width: '100%', height: '100%' }}
        data={places}
        margin={margin}
        accessibilityLayer={false}
      >
        {axes}
        <SeriesPaths bars={bars} series={series} />
        <Tooltip
          isAnimationActive={false}
          cursor={{ stroke: 'var(--ink-dim)', strokeDasharray: '2 2' }}
          wrapperStyle={{ visibility: 'visible', zIndex: 1 }}
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

interface TickProps {
  readonly x: number | string
  readonly y: number | string
  readonly payload: { readonly value: number }
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
