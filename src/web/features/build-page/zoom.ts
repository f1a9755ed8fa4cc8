import type { Zoom } from './build-address.ts'

/** The shortest stretch that can be looked at, ms. */
const shortest = 5

/** Half (or, with a factor above 1, more) of what is looked at, around its middle. */
export function zoomed(zoom: Zoom | undefined, length: number, factor: number): Zoom | undefined {
  const { from, to } = zoom ?? { from: 0, to: length }
  const middle = (from + to) / 2
  const half = Math.max((to - from) * factor, shortest) / 2
  return within({ from: middle - half, to: middle + half }, length)
}

/** What lies to the side of what is looked at, by a part of its length; negative is earlier. */
export function panned(zoom: Zoom | undefined, length: number, part: number): Zoom | undefined {
  if (zoom === undefined) return undefined
  const by = (zoom.to - zoom.from) * part
  const shift = Math.min(Math.max(by, -zoom.from), length - zoom.to)
  return within({ from: zoom.from + shift, to: zoom.to + shift }, length)
}

/** The stretch between two places of a drawing (0 to 1) of what is looked at; undefined for a click. */
export function dragged(
  zoom: Zoom | undefined,
  length: number,
  one: number,
  other: number,
): Zoom | undefined {
  const { from, to } = zoom ?? { from: 0, to: length }
  const [first, last] = [Math.min(one, other), Math.max(one, other)]
  if (last - first < leastDrag) return undefined
  const chosen = { from: from + first * (to - from), to: from + last * (to - from) }
  return chosen.to - chosen.from < shortest ? undefined : within(chosen, length)
}

/** Less of a movement is a click. */
const leastDrag = 0.005

/** In whole milliseconds and within the build; undefined where it is the whole of it. */
function within({ from, to }: Zoom, length: number): Zoom | undefined {
  const first = Math.max(0, Math.round(from))
  const last = Math.min(Math.round(length), Math.round(to))
  if (first <= 0 && last >= Math.round(length)) return undefined
  return first < last ? { from: first, to: last } : undefined
}
