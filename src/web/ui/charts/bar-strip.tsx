import { type MouseEvent, type ReactElement, useState } from 'react'
import { countText } from '../../../protocol/count.ts'
import { type BarChartProps, ChartTable, ChartTip } from './chart-parts.tsx'
import { maximumOf, seriesPaths } from './bar-scale.ts'
import css from './charts.module.css'

const height = 100

/** The same as BarChart where it ticks: a path for each series, drawn by hand. A click chooses one bar. */
export function BarStrip({
  bars,
  series,
  unit,
  summary,
  heading,
  end = bars.at(-1)?.label,
  onSelect,
}: Omit<BarChartProps, 'least' | 'selectLabel'>): ReactElement {
  const [pointed, setPointed] = useState<number>()
  const max = maximumOf(bars)
  const paths = seriesPaths(
    bars,
    series.length,
    (place) => place,
    (value) => Math.round(10 * height * (1 - value / max)) / 10,
  )
  const bar = pointed === undefined ? undefined : bars[pointed]
  const indexAt = ({ currentTarget, clientX }: MouseEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return Math.floor(((clientX - left) / width) * bars.length)
  }
  return (
    <figure className={css.strip}>
      <div className={css.scale} aria-hidden="true">
        <span>
          {countText(max)} {unit}
        </span>
        <span>0</span>
      </div>
      <div
        role="img"
        aria-label={summary}
        className={css.bars}
        data-selects={onSelect !== undefined || undefined}
        onPointerMove={(event) => {
          setPointed(indexAt(event))
        }}
        onPointerLeave={() => {
          setPointed(undefined)
        }}
        onClick={(event) => {
          // A finger moves nothing before it.
          const at = indexAt(event)
          onSelect?.(at, at)
        }}
      >
        <svg viewBox={`0 0 ${bars.length} ${height}`} preserveAspectRatio="none">
          <path className={css.grid} d={`M0 0H${bars.length}M0 50H${bars.length}`} />
          {series.map(({ name, color }, index) => (
            <path key={name} fill={color} d={paths[index]} />
          ))}
          {bar !== undefined && (
            <rect className={css.pointed} x={pointed} width={1} height={height} />
          )}
        </svg>
        {bar !== undefined && pointed !== undefined && (
          <div
            className={css.over}
            style={{
              left: `clamp(90px, ${(100 * (pointed + 0.5)) / bars.length}%, 100% - 90px)`,
            }}
          >
            <ChartTip bar={bar} series={series}>
              {onSelect !== undefined && <span>Click to show these builds</span>}
            </ChartTip>
          </div>
        )}
      </div>
      <div className={css.axis} aria-hidden="true">
        <span>{bars.at(0)?.label}</span>
        <span>{bars.at(Math.floor(bars.length / 2))?.label}</span>
        <span>{end}</span>
      </div>
      <ChartTable bars={bars} series={series} caption={summary} heading={heading} />
    </figure>
  )
}
