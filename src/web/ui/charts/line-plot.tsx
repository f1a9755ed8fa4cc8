import { type ReactElement, useMemo, useState } from 'react'
import {
  CartesianGrid,
  Line,
  LineChart as Lines,
  ReferenceLine,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { BarSelection } from './bar-selection.tsx'
import { axisHeight, axisWidth, margin, tick } from './chart-parts.tsx'
import { dotRadius, labeledPlaces, type LineChartProps, valueText } from './line-values.ts'
import css from './charts.module.css'

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
      <Lines
        responsive
        style={{ width: '100%', height: '100%' }}
        data={rows}
        margin={margin}
        accessibilityLayer={false}
      >
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
          type="number"
          domain={[0, max]}
          ticks={[0, max / 2, max]}
          interval={0}
          width={axisWidth}
          tickLine={false}
          axisLine={false}
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
          isAnimationActive={false}
          cursor={{ stroke: 'var(--ink-dim)', strokeDasharray: '2 2' }}
          wrapperStyle={{ visibility: 'visible', zIndex: 1 }}
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

interface TickProps {
  readonly x: number | string
  readonly y: number | string
  readonly payload: { readonly value: number }
}
