import type { ReactElement } from 'react'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { niceMaximum, stackParts } from '../../ui/bar-scale.ts'
import { countText } from '../../../protocol/count.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { dayText, instantText } from '../../ui/format.ts'
import { VisuallyHidden } from '../../ui/text.tsx'
import css from './activity.module.css'
import stackedBarsCss from '../../ui/stacked-bars.module.css'

/** What fails stands on the ground, where heights can be compared. */
const series = ['unsatisfied', 'waived', 'unknown', 'satisfied'] as const
const words = {
  unsatisfied: 'unsatisfied',
  waived: 'unsatisfied but waived then',
  unknown: 'not known here',
  satisfied: 'satisfied',
}
const height = 100
const step = 10
/** Fewer runs than these do not fill the width, or each would be a wall. */
const fewest = 24
const most = 60

/** The policies of each run by how they came out, the oldest of the newest 60 at the left. */
export function RunBars({
  runs,
  summary,
}: {
  /** The newest first. */
  runs: readonly EvaluationSummary[]
  summary: string
}): ReactElement {
  const { zone } = usePreferences()
  const bars = runs.slice(0, most).reverse()
  const parts = bars.map(partsOf)
  const max = niceMaximum(Math.max(0, ...parts.map((part) => total(part))))
  const width = Math.max(fewest, bars.length) * step
  const [first] = bars
  const last = bars.at(-1)
  return (
    <figure className={css.figure}>
      <div className={stackedBarsCss.scale} aria-hidden="true">
        <span>{countText(max)} policies</span>
        <span>0</span>
      </div>
      <svg
        className={stackedBarsCss.bars}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
      >
        <path className={stackedBarsCss.grid} d={`M0 0H${width}M0 50H${width}`} />
        {bars.map((run, index) => (
          <g key={run.id} transform={`translate(${index * step})`}>
            <RunBar parts={parts[index] ?? []} max={max} />
            <rect className={stackedBarsCss.touch} width={step} height={height}>
              <title>{`${instantText(run.endedAt, zone)}: ${barText(parts[index] ?? [])}`}</title>
            </rect>
          </g>
        ))}
      </svg>
      <div className={stackedBarsCss.axis} aria-hidden="true">
        <span>{first !== undefined && dayText(first.endedAt, zone)}</span>
        <span>
          {bars.length >= fewest && last !== undefined ? dayText(last.endedAt, zone) : ''}
        </span>
      </div>
      <ul className={css.legend} aria-hidden="true">
        {series.map((name, index) =>
          parts.some((part) => (part[index] ?? 0) > 0) ? (
            <li key={name}>
              <svg viewBox="0 0 10 10">
                <rect className={css[name]} width={10} height={10} />
              </svg>
              {words[name]}
            </li>
          ) : null,
        )}
      </ul>
      <VisuallyHidden as="div">
        <table>
          <caption>{summary}</caption>
          <thead>
            <tr>
              <th scope="col">Run</th>
              {series.map((name) => (
                <th scope="col" key={name}>
                  {words[name]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {bars.map((run, index) => (
              <tr key={run.id}>
                <th scope="row">{instantText(run.endedAt, zone)}</th>
                {series.map((name, place) => (
                  <td key={name}>{parts[index]?.[place] ?? 0}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  )
}

function RunBar({ parts, max }: { parts: readonly number[]; max: number }): ReactElement {
  return (
    <>
      {stackParts(parts, max, height).map((part, index) => {
        const name = series[index]
        return name === undefined || part.height === 0 ? null : (
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
    </>
  )
}

/** As many as `series`, in its order. */
function partsOf({ counts, waived }: EvaluationSummary): readonly number[] {
  const excused = Math.min(waived.length, counts.unsatisfied)
  return [counts.unsatisfied - excused, excused, counts.unknown, counts.satisfied]
}

function total(parts: readonly number[]): number {
  return parts.reduce((sum, part) => sum + part, 0)
}

function barText(parts: readonly number[]): string {
  return series
    .map((name, index) => `${countText(parts[index] ?? 0)} ${words[name]}`)
    .filter((text) => !text.startsWith('0 '))
    .join(', ')
}
