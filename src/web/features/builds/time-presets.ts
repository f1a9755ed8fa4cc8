import { dateText, wallClockAt } from '../../../search/assist/amount-text.ts'
import type { WallClock } from '../../../search/values/condition.ts'
import { wallTime } from '../../../search/values/instant.ts'

/** A stretch of time to choose with one click. */
export interface TimePreset {
  readonly label: string
  /** On the start of builds: an operator and its value, such as `>-7d`. */
  readonly condition: string
}

/** The times that are looked at most, as of `now` (epoch ms) on the clocks of `timeZone` (IANA). */
export function timePresets({
  now,
  timeZone,
}: {
  readonly now: number
  readonly timeZone: string
}): readonly TimePreset[] {
  const today = wallClockAt(now, timeZone)
  return [
    { label: 'Last 15 minutes', condition: '>-15m' },
    { label: 'Last hour', condition: '>-1h' },
    { label: 'Last 4 hours', condition: '>-4h' },
    { label: 'Last 24 hours', condition: '>-1d' },
    { label: 'Last 7 days', condition: '>-7d' },
    { label: 'Last 30 days', condition: '>-30d' },
    { label: 'Today', condition: `:${dateText(today)}` },
    { label: 'Yesterday', condition: `:${daysBefore(today, 1)}` },
    { label: 'This week', condition: `>=${daysBefore(today, daysSinceMonday(today))}` },
  ]
}

/** As if in UTC, where no day is longer than another. */
function daysBefore(clock: WallClock, days: number): string {
  return dateText(wallClockAt(wallTime({ ...clock, day: clock.day - days }), 'UTC'))
}

function daysSinceMonday(clock: WallClock): number {
  return (new Date(wallTime(clock)).getUTCDay() + 6) % 7
}

/** A range that was typed, as a condition, or why it is none. Either end may be left out. */
export function typedRange(
  from: string,
  to: string,
): { readonly condition: string } | { readonly mistake: string } {
  if (from === '' && to === '') return { mistake: 'Enter a start, an end, or both.' }
  if (from === '') return { condition: `<${to}` }
  if (to === '') return { condition: `>=${from}` }
  // Written alike, they are in the order of time as they are in that of letters.
  return from < to
    ? { condition: `:[${from} to ${to}]` }
    : { mistake: 'The end must be after the start.' }
}

/** An instant (epoch ms) as a field for date and time takes it, on the clocks of a zone. */
export function fieldTime(at: number | undefined, timeZone: string): string {
  if (at === undefined) return ''
  const clock = wallClockAt(at, timeZone)
  return new Date(wallTime(clock)).toISOString().slice(0, 16)
}

/** The range in a word or two: a preset by its name, else the condition as it is written. */
export function timeLabel(
  condition: string | undefined,
  hasStart: boolean,
  presets: readonly TimePreset[],
): string {
  if (!hasStart) return 'Any time'
  return presets.find((preset) => preset.condition === condition)?.label ?? 'Custom range'
}
