import type { ReactElement } from 'react'
import { type ChartBar, type ChartSeries, seriesPaths } from './bar-scale.ts'
import css from './charts.module.css'

const height = 20

/** Bars of one row of a table, without axes; what they show stands in `label`. */
export function SparkBars({
  bars,
  series,
  most,
  label,
}: {
  bars: readonly ChartBar[]
  series: readonly ChartSeries[]
  /** What fills the height. */
  most: number
  label: string
}): ReactElement {
  const paths = seriesPaths(
    bars,
    series.length,
    (place) => place,
    (value) => Math.round(10 * height * (1 - value / Math.max(1, most))) / 10,
  )
  return (
    <svg
      className={css.spark}
      role="img"
      aria-label={label}
      viewBox={`0 0 ${Math.max(1, bars.length)} ${height}`}
      preserveAspectRatio="none"
    >
      {series.map(({ name, color }, index) => (
        <path key={name} fill={color} d={paths[index]} />
      ))}
    </svg>
  )
}
