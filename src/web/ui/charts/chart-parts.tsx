import { memo, type ReactElement, type ReactNode } from 'react'
import { countText } from '../../../protocol/count.ts'
import { VisuallyHidden } from '../text.tsx'
import { type ChartBar, type ChartSeries, valuesText } from './bar-scale.ts'
import css from './charts.module.css'

export interface BarChartProps {
  /** Oldest first. */
  readonly bars: readonly ChartBar[]
  /** The first stands on the ground, where heights can be compared. */
  readonly series: readonly ChartSeries[]
  /** Stands beside the end of the upper axis: "per min". */
  readonly unit: string
  /** The chart in one sentence. */
  readonly summary: string
  /** What a bar is of, as a column of the table: "Minute". */
  readonly heading: string
  /** What stands at the right end of the lower axis; the label of the last bar by default. */
  readonly end?: string
  /** Room for at least so many bars: fewer do not fill the width. */
  readonly least?: number
  /** Lets bars be chosen by a click, by drawing over some, or by the arrow keys and Enter. */
  readonly onSelect?: (first: number, last: number) => void
  /** The accessible name of what chooses. */
  readonly selectLabel?: string
}

/** What is shown over a bar that is pointed at. */
export function ChartTip({
  bar,
  series,
  children,
}: {
  bar: ChartBar
  series: readonly ChartSeries[]
  children?: ReactNode
}): ReactElement {
  return (
    <div className={css.tip}>
      <strong>{bar.label}</strong>
      <span>{valuesText(series, bar)}</span>
      {children}
    </div>
  )
}

/** What a chart shows, for screen readers; "none" where a value is null. */
export function ChartTable({
  bars,
  series,
  caption,
  heading,
  format = countText,
}: {
  bars: readonly ({ readonly id: string | number } & RowProps)[]
  series: readonly Pick<ChartSeries, 'name'>[]
  caption: string
  heading: string
  format?: (value: number) => string
}): ReactElement {
  return (
    <VisuallyHidden as="div">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            {series.map(({ name }) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.map((bar) => (
            <ChartRow key={bar.id} label={bar.label} values={bar.values} format={format} />
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  )
}

interface RowProps {
  readonly label: string
  readonly values: readonly (number | null)[]
}

/** Only the rows that changed are made again: most of the past stands still. */
const ChartRow = memo(
  function ChartRow({
    label,
    values,
    format,
  }: RowProps & { readonly format: (value: number) => string }): ReactElement {
    return (
      <tr>
        <th scope="row">{label}</th>
        {values.map((value, index) => (
          <td key={index}>{value === null ? 'none' : format(value)}</td>
        ))}
      </tr>
    )
  },
  (before, after) =>
    before.label === after.label &&
    before.format === after.format &&
    before.values.every((value, i) => value === after.values[i]),
)
