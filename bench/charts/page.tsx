import type { ReactElement } from 'react'
import { flushSync } from 'react-dom'
import { createRoot, type Root } from 'react-dom/client'
import { Area, Bar, CartesianGrid, ComposedChart, XAxis, YAxis } from 'recharts'
import { ChartTable } from '../../src/web/ui/charts/chart-parts.tsx'
import { BarPlot } from '../../src/web/ui/charts/plots.tsx'
import type { ChartBar } from '../../src/web/ui/charts/bar-scale.ts'
import { BarStrip } from '../../src/web/ui/charts/bar-strip.tsx'
import { outcomeSeries } from '../../src/web/domain/build-table/outcome-series.ts'
import { HandBars } from './hand-bars.tsx'

/** One way to draw the same bars. */
export type Variant = 'hand' | 'strip' | 'chart' | 'area' | 'bar'

declare global {
  interface Window {
    mountChart: (variant: Variant) => void
    updateChart: (count: number, onlyLast: boolean) => Promise<void>
  }
}

let root: Root | undefined
let shown: Variant = 'hand'
let seed = 1
let bars = Array.from({ length: 60 }, (_, index) => barAt(index))

window.mountChart = (variant) => {
  shown = variant
  root = createRoot(document.querySelector('#root') ?? document.body)
  draw()
}

window.updateChart = async (count, onlyLast) => {
  for (let update = 0; update < count; update++) {
    bars = bars.map((bar, index) => (onlyLast && index < 59 ? bar : barAt(index)))
    draw()
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
}

function draw(): void {
  flushSync(() => {
    root?.render(<Chart />)
  })
}

function Chart(): ReactElement {
  const props = {
    bars,
    series: outcomeSeries,
    unit: 'per min',
    summary: 'Builds per minute',
    heading: 'Minute',
  }
  switch (shown) {
    case 'hand':
      return (
        <>
          <HandBars bars={bars} max={100} />
          <ChartTable bars={bars} series={outcomeSeries} caption="Builds" heading="Minute" />
        </>
      )
    case 'strip':
      return <BarStrip {...props} />
    case 'chart':
      return <BarPlot {...props} />
    case 'area':
    case 'bar':
      return <PlainRecharts of={shown} />
  }
}

function PlainRecharts({ of }: { of: 'area' | 'bar' }): ReactElement {
  return (
    <ComposedChart width={1000} height={88} data={bars}>
      <CartesianGrid vertical={false} />
      <XAxis dataKey="label" height={16} />
      <YAxis domain={[0, 100]} width={84} />
      {outcomeSeries.map(({ name, color }, index) => {
        const value = ({ values }: ChartBar): number => values[index] ?? 0
        const props = { dataKey: value, stackId: 'all', fill: color, isAnimationActive: false }
        return of === 'bar' ? (
          <Bar key={name} {...props} />
        ) : (
          <Area key={name} type="stepAfter" {...props} />
        )
      })}
    </ComposedChart>
  )
}

/** Numbers that repeat from run to run (a linear congruential generator). */
function barAt(index: number): ChartBar {
  const next = (): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed % 30
  }
  return {
    id: index,
    label: `09:${String(index).padStart(2, '0')}`,
    values: [next(), next(), next()],
  }
}
