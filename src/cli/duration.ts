import { dayMs, hourMs, minuteMs } from '../protocol/clock.ts'

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: minuteMs,
  h: hourMs,
  d: dayMs,
}

/**
 * Reads a duration such as `90s`, `5m`, `1h30m`, `90d` or `250ms`, in ms; undefined for anything else, as
 * a number alone does not say of what.
 */
export function readDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text)) return undefined
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)
  const ms = [...parts].reduce(
    (sum, [, amount, unit = 'ms']) => sum + Number(amount) * (units[unit] ?? 0),
    0,
  )
  return Math.round(ms)
}

/** A timer that is set for longer ends at once. */
const longestDays = 24

/** The duration of an option, ms; says in `mistakes` where it is none, or none that can be waited for. */
export function readDurationOption(
  name: 'wait' | 'timeout',
  text: string,
  mistakes: string[],
): number {
  const ms = readDuration(text)
  if (ms === undefined) {
    mistakes.push(`--${name} is “${text}”, but must be a duration such as 90s, 10m or 1h30m.`)
  } else if (ms > longestDays * dayMs) {
    mistakes.push(`--${name} is “${text}”, but must be at most ${longestDays} days.`)
  } else if (name === 'timeout' && ms === 0) {
    mistakes.push('--timeout must be greater than zero.')
  }
  return ms ?? 1
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
