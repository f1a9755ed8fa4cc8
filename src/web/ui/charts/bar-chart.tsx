import type { ReactElement } from 'react'
import { lazyPart } from '../lazy-part.tsx'
import { type BarChartProps, ChartTable } from './chart-parts.tsx'
import css from './charts.module.css'
import { inTurn } from './drawing-turn.tsx'

const Plot = lazyPart(async () => inTurn((await import('./bar-plot.tsx')).BarPlot), {
  waiting: () => <div className={css.plot} />,
})

/**
 * Stacked bars over time, with a tooltip, a selection and the same as a table for screen readers.
 * What draws them is loaded on demand; its place is kept free until then.
 */
export function BarChart(props: BarChartProps): ReactElement {
  const { bars, series, summary, heading } = props
  return (
    <figure className={css.chart}>
      <Plot {...props} />
      <ChartTable bars={bars} series={series} caption={summary} heading={heading} />
    </figure>
  )
}
