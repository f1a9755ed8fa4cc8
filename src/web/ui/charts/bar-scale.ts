import { countText } from '../../../protocol/count.ts'

export interface ChartSeries {
  /** What it counts, in the plural or as an adjective: "failed". */
  readonly name: string
  /** A CSS color, from tokens.css. */
  readonly color: string
}

/** One bar: a stretch of time, a run. */
export interface ChartBar {
  /** What tells it from others. */
  readonly id: string | number
  /** How it is called: "09:14". */
  readonly label: string
  /** What stands at the axis, where that is shorter. */
  readonly axisLabel?: string
  /** As many as there are series, in their order. */
  readonly values: readonly number[]
  /** What it shows in words, where these are no counts. */
  readonly text?: string
}

/** The upper end of an axis that holds `max`: 5, 10, 20, 50, 100 and so on; never less than 5. */
export function niceMaximum(max: number): number {
  for (let unit = 1; ; unit *= 10) {
    for (const step of [5, 10, 20]) {
      if (max <= step * unit) return step * unit
    }
  }
}

/** The upper end of an axis that holds every bar with its series stacked. */
export function maximumOf(bars: readonly ChartBar[]): number {
  const totals = bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0))
  return niceMaximum(Math.max(0, ...totals))
}

/** What a bar shows in words, without the series it has none of: "2 failed, 31 succeeded". */
export function valuesText(series: readonly ChartSeries[], { values, text }: ChartBar): string {
  if (text !== undefined) return text
  const parts = series.flatMap(({ name }, index) => {
    const value = values[index] ?? 0
    return value === 0 ? [] : [`${countText(value)} ${name}`]
  })
  return parts.length === 0 ? 'none' : parts.join(', ')
}

/** Each series as one SVG path, stacked bar by bar: `x` places a bar's left edge from 0, four fifths wide, `y` a value. */
export function seriesPaths(
  bars: readonly ChartBar[],
  count: number,
  x: (place: number) => number,
  y: (value: number) => number,
): readonly string[] {
  const paths = new Array<string>(count).fill('')
  bars.forEach(({ values }, place) => {
    const left = x(place + 0.1)
    const width = x(place + 0.9) - left
    let below = 0
    for (let index = 0; index < count; index++) {
      const value = values[index] ?? 0
      if (value === 0) continue
      const bottom = y(below)
      below += value
      paths[index] = `${paths[index] ?? ''}M${left} ${bottom}h${width}V${y(below)}h${-width}Z`
    }
  })
  return paths
}
