const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/**
 * Reads a duration such as `90s`, `5m`, `1h30m`, `90d` or `250ms`, in ms; undefined for anything else, as
 * a number alone does not say of what.
 */
export function readDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text)) return undefined
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)
  return [...parts].reduce(
    (sum, [, amount, unit = 'ms']) => sum + Number(amount) * (units[unit] ?? 0),
    0,
  )
}

/** A duration for people: "4 s", "5 min", "1 h 30 min". */
export function durationWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60)
    return [`${minutes} min`, ...(seconds % 60 ? [`${seconds % 60} s`] : [])].join(' ')
  return [`${Math.floor(minutes / 60)} h`, ...(minutes % 60 ? [`${minutes % 60} min`] : [])].join(
    ' ',
  )
}
