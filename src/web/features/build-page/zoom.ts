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

/** A mark on an axis of time. */
export interface Tick {
  /** ms since the beginning of the axis' zero. */
  readonly at: number
  readonly label: string
}

/** Steps that people count in, ms. */
const steps = [1, 2, 5].flatMap((step) => [1, 10, 100].map((power) => step * power))
const longSteps = [1, 2, 5, 10, 15, 30].flatMap((step) => [step * 1000, step * 60_000])
const hours = [1, 2, 3, 6, 12, 24].map((step) => step * 3_600_000)
const allSteps = [...steps, ...longSteps, ...hours].sort((a, b) => a - b)

/**
 * Marks for the stretch from `from` to `to` (ms), at most `most` of them, at round times: "0 s",
 * "250 ms", "1 min 30 s".
 */
export function timeTicks(from: number, to: number, most: number): readonly Tick[] {
  const wanted = (to - from) / Math.max(1, most)
  const step = allSteps.find((size) => size >= wanted) ?? Math.ceil(wanted / day) * day
  const ticks: Tick[] = []
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    ticks.push({ at, label: label(at, step) })
  }
  return ticks.slice(0, most)
}

const day = 86_400_000

function label(at: number, step: number): string {
  if (at === 0) return '0 s'
  if (step < 1000) return at < 1000 ? `${at} ms` : `${(at / 1000).toFixed(decimals(step))} s`
  const parts = [
    [Math.floor(at / 3_600_000), 'h'],
    [Math.floor(at / 60_000) % 60, 'min'],
    [Math.floor(at / 1000) % 60, 's'],
  ] as const
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(' ')
}

function decimals(step: number): number {
  return step >= 100 ? 1 : step >= 10 ? 2 : 3
}
