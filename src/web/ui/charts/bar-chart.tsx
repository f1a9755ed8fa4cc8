import { lazy, type ReactElement, Suspense } from 'react'
import { type BarChartProps, ChartTable } from './chart-parts.tsx'
import css from './charts.module.css'

const Plot = lazy(async () => ({ default: (await import('./bar-plot.tsx')).BarPlot }))

/**
 * Stacked bars over time, with a tooltip, a selection and the same as a table for screen readers.
 * What draws them is loaded on demand; its place is kept free until then.
 */
export function BarChart(props: BarChartProps): ReactElement {
  const { bars, series, summary, heading } = props
  return (
    <figure className={css.chart}>
      <Suspense fallback={<div className={css.plot} />}>
        <Plot {...props} />
      </Suspense>
      <ChartTable bars={bars} series={series} caption={summary} heading={heading} />
    </figure>
  )
}
