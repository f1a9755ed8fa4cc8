/**
 * A duration in words, such as "1 min 12 s": at most two units, rounded to the smaller one. `ms` is
 * not negative.
 */
export function durationText(ms: number): string {
  if (ms < 950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return twoUnits(seconds, 60, 'min', 's')
  const minutes = Math.round(seconds / 60)
  if (minutes < 24 * 60) return twoUnits(minutes, 60, 'h', 'min')
  return twoUnits(Math.round(minutes / 60), 24, 'd', 'h')
}

function twoUnits(amount: number, size: number, large: string, small: string): string {
  const rest = amount % size
  const whole = `${(amount - rest) / size} ${large}`
  return rest === 0 ? whole : `${whole} ${rest} ${small}`
}
