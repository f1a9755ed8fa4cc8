import { applyEdits } from '../../../search/diagnostic.ts'
import { addTerm, removePart } from '../../../search/edit.ts'
import { findField } from '../../../search/fields/fields.ts'
import { momentTime } from '../../../search/values/moment-time.ts'
import { parse } from '../../../search/parse.ts'
import { readCondition } from '../../../search/values/read-condition.ts'
import type { Expression, Query, Term } from '../../../search/tree.ts'
import { dateText, wallClockAt } from '../../../search/assist/amount-text.ts'
import { wallTime } from '../../../search/values/instant.ts'

/** A stretch of time, epoch ms; an end that is open is undefined. `to` is exclusive. */
export interface TimeRange {
  readonly from?: number
  readonly to?: number
}

const field = 'buildStartTime'

/** Between which starts all builds lie that match a query, as far as its top-level terms limit them. */
export function startRange(query: Query, at: { now: number; timeZone: string }): TimeRange {
  const start = findField(field)
  let range: { from?: number; to?: number } = {}
  if (start === undefined) return range
  for (const term of startTerms(query)) {
    const reading = readCondition(term, start)
    if (!reading.ok || reading.condition.type !== 'instant') continue
    const { low, high } = reading.condition
    if (low !== undefined) {
      const from = momentTime(low.moment, at) + (low.inclusive ? 0 : 1)
      range = { ...range, from: Math.max(range.from ?? from, from) }
    }
    if (high !== undefined) {
      const to = momentTime(high.moment, at) + (high.inclusive ? 1 : 0)
      range = { ...range, to: Math.min(range.to ?? to, to) }
    }
  }
  return range
}

/**
 * The time that lies behind of that, from 1970, before which nothing was built, up to `now`: a day that isn't over ends now.
 * Undefined where it has no beginning, or none yet.
 */
export function pastRange(
  query: Query,
  at: { now: number; timeZone: string },
): Required<TimeRange> | undefined {
  const { from = Infinity, to = at.now } = startRange(query, at)
  const range = { from: Math.max(0, from), to: Math.min(to, at.now) }
  return range.from >= range.to ? undefined : range
}

/** As much time before it. */
export function rangeBefore({ from, to }: Required<TimeRange>): Required<TimeRange> {
  return { from: 2 * from - to, to: from }
}

/**
 * The query narrowed to builds that started from `from` up to `to` (epoch ms), in place of its terms
 * about their start so far; with the zone written out, so that it means the same everywhere.
 */
export function withStartRange(query: Query, from: number, to: number): string {
  return withStart(query, `:[${instant(from)} to ${instant(to - 1)}]`)
}

/**
 * The query with one condition on the start of builds, an operator and its value, in place of those so
 * far; as it is written, so that its times are in the zone of the query.
 */
export function withStart(query: Query, condition: string): string {
  const term = field + condition
  const [first, ...others] = startTerms(query)
  if (first === undefined) return applyEdits(query.text, addTerm(query, term))
  const last = others.at(-1)
  return last === undefined
    ? applyEdits(query.text, [{ from: first.from, to: first.to, insert: term }])
    : withStart(parse(applyEdits(query.text, removePart(query, last))), condition)
}

/** The one condition on the start of builds, as it is written; undefined where there is none, or several. */
export function startCondition(query: Query): string | undefined {
  const [first, second] = startTerms(query)
  return first === undefined || second !== undefined
    ? undefined
    : query.text.slice(first.operator.from, first.to)
}

/** The query without its top-level terms about the start of builds. */
export function withoutStart(query: Query): string {
  const first = startTerms(query).at(0)
  return first === undefined
    ? query.text
    : withoutStart(parse(applyEdits(query.text, removePart(query, first))))
}

function startTerms({ root }: Query): readonly Term[] {
  return root === undefined ? [] : andedTerms(root).filter((term) => term.field.name === field)
}

function andedTerms(part: Expression): readonly Term[] {
  switch (part.type) {
    case 'term':
      return [part]
    case 'and':
      return part.operands.flatMap((operand) => (operand.type === 'term' ? [operand] : []))
    case 'or':
    case 'not':
    case 'group':
    case 'flag':
    case 'free-text':
      return []
  }
}

function instant(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z')
}

/** A stretch of time to choose with one click. */
interface TimePreset {
  readonly label: string
  /** On the start of builds: an operator and its value, such as `>-7d`. */
  readonly condition: string
}

/** The day at an instant (epoch ms) on the clocks of a zone (IANA): "2026-11-26". */
export function dayAt(now: number, timeZone: string): string {
  return dateText(wallClockAt(now, timeZone))
}

/** The times that are looked at most, where it is this day. */
export function timePresets(today: string): readonly TimePreset[] {
  return [
    { label: 'Last 15 minutes', condition: '>-15m' },
    { label: 'Last hour', condition: '>-1h' },
    { label: 'Last 4 hours', condition: '>-4h' },
    { label: 'Last 24 hours', condition: '>-1d' },
    { label: 'Last 7 days', condition: '>-7d' },
    { label: 'Last 30 days', condition: '>-30d' },
    { label: 'Today', condition: `:${today}` },
    { label: 'Yesterday', condition: `:${daysBefore(today, 1)}` },
    { label: 'This week', condition: `>=${daysBefore(today, daysSinceMonday(today))}` },
  ]
}

/** As if in UTC, where no day is longer than another. */
function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10)
}

function daysSinceMonday(day: string): number {
  return (new Date(day).getUTCDay() + 6) % 7
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
