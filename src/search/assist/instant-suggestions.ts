import { wallTime } from '../values/instant.ts'
import { distanceWords } from '../words/amount-words.ts'
import { dateText, wallClockAt } from '../words/moment-words.ts'
import type { Suggestion } from './completion.ts'
import type { AssistContext } from './context.ts'

/** Moments that are often asked for: some time ago, and today and yesterday where it is known when that is. */
export function instantSuggestions(
  typed: string,
  { isEquality }: { readonly isEquality: boolean },
  context: AssistContext,
): Suggestion[] {
  const [today, yesterday] = days(context)
  const dates = [value(today, 'today'), value(yesterday, 'yesterday')].flat()
  const offered = isEquality
    ? [...dates, ...value('[-7d to -1d]', 'the 7 days before the last 24 hours')]
    : [...distances.flatMap(([text, ms]) => value(text, `${distanceWords(ms)} ago`)), ...dates]
  const wanted = typed.toLowerCase()
  return offered.filter(
    ({ insert, detail = '' }) => insert.startsWith(wanted) || detail.startsWith(wanted),
  )
}

const hour = 3_600_000
const distances = [
  ['-1h', hour],
  ['-1d', 24 * hour],
  ['-7d', 7 * 24 * hour],
  ['-30d', 30 * 24 * hour],
] as const

/** Today and the day before, on the clocks of the zone. */
function days({ now, timeZone = 'UTC' }: AssistContext): string[] {
  if (now === undefined) return []
  const today = wallClockAt(now, timeZone)
  // As if in UTC, where no day is longer than another.
  const yesterday = wallTime({ ...today, day: today.day - 1 })
  return [dateText(today), dateText(wallClockAt(yesterday, 'UTC'))]
}

function value(text: string | undefined, detail: string): Suggestion[] {
  return text === undefined ? [] : [{ label: text, insert: text, kind: 'value', detail }]
}
