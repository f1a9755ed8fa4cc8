/** The upper end of an axis that holds `max`: 5, 10, 20, 50, 100 and so on; never less than 5. */
export function niceMaximum(max: number): number {
  for (let unit = 1; ; unit *= 10) {
    for (const step of [5, 10, 20]) {
      if (max <= step * unit) return step * unit
    }
  }
}

/** Where a part of a stacked bar is drawn: distance from the top, and height. */
export interface BarPart {
  readonly top: number
  readonly height: number
}

/** Stacks `values` from the bottom of a drawing of `height`, of which the whole is `max`. */
export function stackParts(
  values: readonly number[],
  max: number,
  height: number,
): readonly BarPart[] {
  let below = 0
  return values.map((value) => {
    below += value
    return { top: height - (below / max) * height, height: (value / max) * height }
  })
}
