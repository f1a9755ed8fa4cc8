import { memo, type ReactElement, type ReactNode } from 'react'
import { niceMaximum, stackParts } from '../../ui/bar-scale.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import css from './outcome-bars.module.css'
import { VisuallyHidden } from '../../ui/text.tsx'

/** The builds of one stretch of time. */
export interface OutcomeBar {
  /** The beginning of the stretch, epoch ms: what tells it from others. */
  readonly at: number
  /** How the stretch is called: "09:14". */
  readonly label: string
  readonly failed: number
  readonly succeeded: number
  readonly unknown: number
}

/** Failures stand on the ground, where their heights can be compared. */
const series = ['failed', 'succeeded', 'unknown'] as const
const height = 100
const step = 10

/**
 * Builds by outcome as stacked bars, oldest first; `unit` is that of the upper axis. Drawn as plain
 * SVG: a redraw costs well under a frame, where recharts took up to 67 ms for 60 bars.
 */
export function OutcomeBars({
  bars,
  unit,
  summary,
  stretch = 'Minute',
  end = 'now',
  children,
}: {
  bars: readonly OutcomeBar[]
  unit: string
  summary: string
  /** What each bar is of. */
  stretch?: string
  /** What stands at the right end of the lower axis. */
  end?: string
  /** Lies over the bars, to be pointed at. */
  children?: ReactNode
}): ReactElement {
  const max = niceMaximum(
    Math.max(0, ...bars.map((bar) => bar.failed + bar.succeeded + bar.unknown)),
  )
  const first = bars.at(0)
  const middle = bars.at(Math.floor(bars.length / 2))
  return (
    <figure className={css.figure}>
      <div className={css.scale} aria-hidden="true">
        <span>
          {countText(max)} {unit}
        </span>
        <span>0</span>
      </div>
      <svg
        className={css.bars}
        viewBox={`0 0 ${bars.length * step} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
      >
        <path className={css.grid} d={`M0 0H${bars.length * step}M0 50H${bars.length * step}`} />
        {bars.map((bar, index) => (
          <g key={bar.at} transform={`translate(${index * step})`}>
            <Bar bar={bar} max={max} />
          </g>
        ))}
      </svg>
      <div className={css.axis} aria-hidden="true">
        <span>{first?.label}</span>
        <span>{middle?.label}</span>
        <span>{end}</span>
      </div>
      {children}
      <VisuallyHidden as="div">
        <BarTable bars={bars} caption={summary} stretch={stretch} />
      </VisuallyHidden>
    </figure>
  )
}

/** Only the bars that changed are drawn again: most of the past stands still. */
const Bar = memo(
  function Bar({ bar, max }: { bar: OutcomeBar; max: number }): ReactElement {
    const parts = stackParts(
      series.map((name) => bar[name]),
      max,
      height,
    )
    return (
      <>
        {series.map((name, index) => {
          const part = parts[index]
          return part === undefined || part.height === 0 ? null : (
            <rect
              key={name}
              className={css[name]}
              x={1}
              width={8}
              y={part.top}
              height={part.height}
            />
          )
        })}
        <rect className={css.touch} width={step} height={height}>
          <title>
            {`${bar.label}: ${countOf(bar.failed + bar.succeeded + bar.unknown, 'build')}, ${countText(bar.failed)} failed`}
          </title>
        </rect>
      </>
    )
  },
  (before, after) => before.max === after.max && isSameBar(before.bar, after.bar),
)

/** What the bars show, for who cannot see them. */
const BarTable = memo(function BarTable({
  bars,
  caption,
  stretch,
}: {
  bars: readonly OutcomeBar[]
  caption: string
  stretch: string
}): ReactElement {
  return (
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{stretch}</th>
          {series.map((name) => (
            <th scope="col" key={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {bars.map((bar) => (
          <tr key={bar.at}>
            <th scope="row">{bar.label}</th>
            {series.map((name) => (
              <td key={name}>{bar[name]}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
})

function isSameBar(one: OutcomeBar, other: OutcomeBar): boolean {
  return one.label === other.label && series.every((name) => one[name] === other[name])
}
