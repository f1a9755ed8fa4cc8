/**
 * How far the picture stands beside its place in a minute, px: never further than `amplitude` to any
 * side, a few pixels from one minute to the next, and back where it began after about a day.
 */
export function driftAt(
  minute: number,
  amplitude: number,
): { readonly x: number; readonly y: number } {
  return {
    x: Math.round(amplitude * Math.sin(minute / 9)),
    y: Math.round(amplitude * Math.sin(minute / 7 + 1)),
  }
}

/** Within 24 px from side to side on large screens, and less on small ones. */
export function driftAmplitude(width: number): number {
  return Math.max(2, Math.min(12, Math.round(width / 120)))
}

/** Whether an hour of the day lies from `from` up to `to`, over midnight where that is later. */
export function isDimmed(hour: number, { from, to }: { from: number; to: number }): boolean {
  if (from === to) return false
  return from < to ? hour >= from && hour < to : hour >= from || hour < to
}
