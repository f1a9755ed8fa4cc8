import { Group } from '@mantine/core'
import {
  type ComponentType,
  createElement,
  memo,
  type ReactElement,
  useEffect,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { lazyPart } from '../lazy-part.tsx'
import { type BarChartProps, ChartTable } from './chart-parts.tsx'
import css from './charts.module.css'
import type { LineChartProps } from './line-values.ts'

const Bars = lazyPart(async () => inTurn((await import('./plots.tsx')).BarPlot), {
  waiting: () => <div className={css.plot} />,
})

/** Stacked bars over time, with a selection and a table for screen readers; the drawing is loaded on demand. */
export function BarChart(props: BarChartProps): ReactElement {
  const { bars, series, summary, heading } = props
  return (
    <figure className={css.chart}>
      <Bars {...props} />
      <ChartTable bars={bars} series={series} caption={summary} heading={heading} />
    </figure>
  )
}

const Lines = lazyPart(async () => inTurn((await import('./plots.tsx')).LinePlot), {
  waiting: () => <div className={css.plot} />,
})

/** Lines over time, in the same way. */
export function LineChart(props: LineChartProps): ReactElement {
  const { places, lines, format, summary, heading } = props
  return (
    <figure className={css.chart}>
      <Group component="ul" gap="2px 12px" m={0} p={0} fz="xs" c="dimmed" aria-hidden="true">
        {lines.map(({ name, color, isDashed }) => (
          <Group
            key={name}
            component="li"
            gap={6}
            wrap="nowrap"
            miw={0}
            style={{ overflowWrap: 'anywhere' }}
          >
            <svg viewBox="0 0 16 8" width={16} height={8} style={{ flex: 'none' }}>
              <path
                d="M0 4h16"
                stroke={color}
                strokeWidth={2}
                strokeDasharray={isDashed === true ? '4 2' : undefined}
              />
            </svg>
            {name}
          </Group>
        ))}
      </Group>
      <Lines {...props} />
      <ChartTable
        bars={places.map((place, index) => ({
          ...place,
          values: lines.map(({ values }) => values[index] ?? null),
        }))}
        series={lines}
        caption={summary}
        heading={heading}
        format={format}
      />
    </figure>
  )
}

/** Drawings that wait, those that began to wait first at the front. */
const waiting = new Map<object, () => void>()

/**
 * The drawing of a chart, at its first and each later time in a frame of its own: several charts that
 * come or change together would keep the browser from answering. Its place is kept free until then.
 */
function inTurn<Props extends object>(Plot: ComponentType<Props>): ComponentType<Props> {
  const Drawing = memo(Plot)
  return function Turn(props: Props): ReactElement {
    const drawn = useInTurn(props)
    return drawn === undefined ? <div className={css.plot} /> : createElement(Drawing, drawn)
  }
}

function useInTurn<T>(latest: T): T | undefined {
  const [drawn, setDrawn] = useState<{ readonly value: T }>()
  const [owner] = useState(() => ({}))
  useEffect(() => {
    if (waiting.size === 0) requestAnimationFrame(drawNext)
    // What waits already keeps its place.
    waiting.set(owner, () => {
      setDrawn({ value: latest })
    })
  }, [owner, latest])
  useEffect(
    () => () => {
      waiting.delete(owner)
    },
    [owner],
  )
  return drawn?.value
}

function drawNext(): void {
  const [first] = waiting
  if (first === undefined) return
  const [owner, draw] = first
  waiting.delete(owner)
  if (waiting.size > 0) requestAnimationFrame(drawNext)
  // Within this frame, as React would draw it together with the next.
  flushSync(draw)
}
