export interface ChartLine {
  readonly name: string
  /** A CSS color, from tokens.css. */
  readonly color: string
  /** Drawn in dashes: what was before, what is beside the point. */
  readonly isDashed?: boolean
  /** As many as there are places; null where there is none. */
  readonly values: readonly (number | null)[]
}

export interface LineChartProps {
  /** Stretches of time, oldest first, as they are called. */
  readonly places: readonly {
    readonly id: string | number
    readonly label: string
    readonly axisLabel?: string
  }[]
  /** At most six. */
  readonly lines: readonly ChartLine[]
  /** A value in words: "61%". */
  readonly format: (value: number) => string
  /** The upper end of an axis that holds this value. */
  readonly maximumFor: (value: number) => number
  /** The chart in one sentence. */
  readonly summary: string
  /** What a place is of, as a column of the table: "Day". */
  readonly heading: string
  /** What stands at the right end of the lower axis. */
  readonly end: string
  /** Places where something happened, with what it was. */
  readonly marks?: readonly { readonly place: number; readonly label: string }[]
  /** Lets places be chosen by a click, by drawing over some, or by the arrow keys and Enter. */
  readonly onSelect?: (first: number, last: number) => void
  /** The accessible name of what chooses. */
  readonly selectLabel?: string
}

/** A value of a line in words, "none" where there is none. */
export function valueText(
  value: number | null | undefined,
  format: (value: number) => string,
): string {
  return value === null || value === undefined ? 'none' : format(value)
}

/** The radius of the dots of a line, px: a single value has no line that would show it. */
export function dotRadius(values: ChartLine['values']): number {
  return values.filter((value) => value !== null).length === 1 ? 4 : 1.5
}

/** The places with labels below a chart of so many: the ends, and from three on the middle; none twice. */
export function labeledPlaces(count: number, middle: number): readonly number[] {
  return [...new Set(count < 3 ? [0, count] : [0, middle, count])]
}
