import { memo, type ReactElement } from 'react'
import { outcomeSeries } from '../../src/web/domain/build-table/outcome-series.ts'
import type { ChartBar } from '../../src/web/ui/charts/bar-scale.ts'

/** Bars as they were drawn before recharts: a rectangle a number, in a group a bar. */
export function HandBars({ bars, max }: { bars: readonly ChartBar[]; max: number }): ReactElement {
  return (
    <svg
      viewBox={`0 0 ${bars.length * 10} 100`}
      preserveAspectRatio="none"
      style={{ width: '100%', height: 64 }}
    >
      {bars.map((bar, index) => (
        <g key={bar.id} transform={`translate(${index * 10})`}>
          <HandBar bar={bar} max={max} />
        </g>
      ))}
    </svg>
  )
}

const HandBar = memo(function HandBar({ bar, max }: { bar: ChartBar; max: number }): ReactElement {
  let below = 0
  return (
    <>
      {outcomeSeries.map(({ name, color }, index) => {
        const value = bar.values[index] ?? 0
        below += value
        return (
          <rect
            key={name}
            fill={color}
            x={1}
            width={8}
            y={100 - (below / max) * 100}
            height={(value / max) * 100}
          />
        )
      })}
      <rect fill="transparent" width={10} height={100}>
        <title>{`${bar.label}: ${bar.values.join(', ')}`}</title>
      </rect>
    </>
  )
})
