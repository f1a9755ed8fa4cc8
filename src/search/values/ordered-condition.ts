import {
  operatorNotAllowed,
  rangeReversed,
  rangeShape,
  rewrite,
  valueProblem,
  wildcardNotAllowed,
} from '../check/condition-diagnostics.ts'
import { type Diagnostic, error, info, warning } from '../diagnostic.ts'
import type { Field } from '../fields/field.ts'
import type { Range, Term, Word } from '../tree.ts'
import type { AmountEdge, Condition, Moment, MomentEdge } from './condition.ts'
import { readInstant, wallTime, type WrittenMoment } from './instant.ts'
import { momentTime } from './moment-time.ts'
import type { Reading } from './reading.ts'
import { isAnything, plainText } from './text.ts'

/** What a term demands, with what is doubtful about it; or the one problem that says why nothing. */
export type ConditionReading =
  | { readonly ok: true; readonly condition: Condition; readonly hints: readonly Diagnostic[] }
  | { readonly ok: false; readonly problem: Diagnostic }

/** What a term demands of a duration, a number or a size; `read` gives amounts in the unit of the field. */
export function amountCondition(
  term: Term,
  pattern: Word | Range,
  field: Field,
  read: (text: string) => Reading<number>,
): ConditionReading {
  const ends = termEnds(term, pattern, field, read, (low, high) => low > high)
  if (!ends.ok) return ends
  const edges =
    ends.type === 'range'
      ? { low: inclusive(ends.low), high: inclusive(ends.high) }
      : comparison(term.operator.symbol, ends.value)
  return { ok: true, condition: { type: 'amount', ...edges }, hints: [] }
}

function comparison(
  symbol: Term['operator']['symbol'],
  amount: number,
): { readonly low?: AmountEdge; readonly high?: AmountEdge } {
  switch (symbol) {
    case '>':
      return { low: { amount, inclusive: false } }
    case '>=':
      return { low: inclusive(amount) }
    case '<':
      return { high: { amount, inclusive: false } }
    case '<=':
      return { high: inclusive(amount) }
    case ':':
    case '=':
    case '!=':
      return { low: inclusive(amount), high: inclusive(amount) }
  }
}

function inclusive(amount: number): AmountEdge {
  return { amount, inclusive: true }
}

/**
 * What a term demands of a point in time. Equality is with the whole day, minute, second or fraction
 * that was written (docs/design.md#timestamps-and-zones); a range includes both ends, and a
 * date in one is its midnight.
 */
export function instantCondition(
  term: Term,
  pattern: Word | Range,
  field: Field,
  timeZone: string | undefined,
): ConditionReading {
  const ends = termEnds(term, pattern, field, readInstant, (low, high) =>
    isReversed(low, high, timeZone),
  )
  if (!ends.ok) return ends
  if (ends.type === 'range') {
    const { low, high, lowWord, highWord } = ends
    const hints = [
      ...relativeFuture(lowWord, low),
      ...relativeFuture(highWord, high),
      ...dateAsRangeEnd(highWord, high),
    ]
    return instant({ low: edge(low.moment, true), high: edge(high.moment, true) }, hints)
  }
  const { value, word } = ends
  const edges = compared(term.operator.symbol, value)
  return edges
    ? instant(edges, relativeFuture(word, value))
    : { ok: false, problem: relativeEquality(term, word) }
}

type Hints = Extract<ConditionReading, { ok: true }>['hints']
type Edges = Pick<Extract<Condition, { type: 'instant' }>, 'low' | 'high'>

function instant(edges: Edges, hints: Hints): ConditionReading {
  return { ok: true, condition: { type: 'instant', ...edges }, hints }
}

/** Undefined for what nothing can be equal to: a moment that moves on. */
function compared(
  symbol: Term['operator']['symbol'],
  { moment, next }: WrittenMoment,
): Edges | undefined {
  switch (symbol) {
    case '>':
      return { low: edge(moment, false) }
    case '>=':
      return { low: edge(moment, true) }
    case '<':
      return { high: edge(moment, false) }
    case '<=':
      return { high: edge(moment, true) }
    case ':':
    case '=':
    case '!=':
      return next && { low: edge(moment, true), high: edge(next, false) }
  }
}

function edge(moment: Moment, inclusive: boolean): MomentEdge {
  return { moment, inclusive }
}

/** No zone is further from UTC than this. */
const furthestZone = 14 * 3_600_000

/** Whether a range is empty at every time, in the zone or else in every one. */
function isReversed(
  { moment: low }: WrittenMoment,
  { moment: high }: WrittenMoment,
  timeZone: string | undefined,
): boolean {
  if (low.type === 'relative') return high.type === 'relative' && low.distance > high.distance
  if (high.type === 'relative') return false
  if (timeZone !== undefined && low.type !== high.type) {
    const at = { now: 0, timeZone }
    return momentTime(low, at) > momentTime(high, at)
  }
  const least = low.type === 'local' ? wallTime(low.clock) : low.time
  const most = high.type === 'local' ? wallTime(high.clock) : high.time
  return least - most > (low.type === high.type ? 0 : furthestZone)
}

/** `>5d`: that far ahead there are no builds yet. */
function relativeFuture(word: Word, { moment }: WrittenMoment): Diagnostic[] {
  if (moment.type !== 'relative' || moment.distance <= 0) return []
  const past = `-${plainText(word)?.replace(/^\+/, '') ?? ''}`
  return [
    warning(
      word,
      'value.relative-future',
      `${plainText(word) ?? ''} is in the future. Use ${past} for the past.`,
      [rewrite(word, past)],
    ),
  ]
}

/** `:-5d`: nothing happened exactly that long ago. */
function relativeEquality(term: Term, word: Word): Diagnostic {
  const { operator, field } = term
  const distance = plainText(word) ?? ''
  return error(
    { from: operator.from, to: word.to },
    'value.operator-not-allowed',
    `No build starts exactly ${distance} from now. Use ${field.name}>${distance} for since then, or < for before then.`,
    [
      rewrite(operator, '>', `Change to ${field.name}>${distance}`),
      rewrite(operator, '<', `Change to ${field.name}<${distance}`),
    ],
  )
}

/** `[2024-01-01 to 2024-01-31]`: the 31st is outside, but for its first instant. */
function dateAsRangeEnd(high: Word, { moment, dateOnly }: WrittenMoment): Diagnostic[] {
  if (!dateOnly || moment.type === 'relative') return []
  const written = plainText(high) ?? ''
  const [date, zone] = [written.slice(0, 10), written.slice(10)]
  const lastMs = `${date}T23:59:59.999${zone}`
  const nextDay = new Date(Date.parse(`${date}T00:00Z`) + 86_400_000).toISOString()
  return [
    info(
      high,
      'logic.range-end-midnight',
      `The range ends when ${written} starts. Use ${lastMs} to include that day.`,
      [
        rewrite(high, lastMs),
        // The day after the last one of the year 9999 cannot be written.
        ...(nextDay.startsWith('+') ? [] : [rewrite(high, `${nextDay.slice(0, 16)}${zone}`)]),
      ],
    ),
  ]
}

/** The one value of an equality or a comparison, or both of a range. */
type TermEnds<T> =
  | { readonly ok: true; readonly type: 'one'; readonly value: T; readonly word: Word }
  | {
      readonly ok: true
      readonly type: 'range'
      readonly low: T
      readonly high: T
      readonly lowWord: Word
      readonly highWord: Word
    }
  | { readonly ok: false; readonly problem: Diagnostic }

/** The values of a term whose field has an order. `isReversed`: the range from low to high holds nothing for sure. */
function termEnds<T>(
  term: Term,
  pattern: Word | Range,
  field: Field,
  read: (text: string) => Reading<T>,
  isReversed: (low: T, high: T) => boolean,
): TermEnds<T> {
  if (pattern.type === 'word') {
    const end = readEnd(pattern, field, read)
    return end.ok ? { ok: true, type: 'one', value: end.value, word: pattern } : end
  }
  if (term.operator.symbol !== ':') return failed(operatorNotAllowed(term, field))
  // An end that is `*` is none, as in other search languages.
  const lowWord = pattern.low && isAnything(pattern.low) ? undefined : pattern.low
  const highWord = pattern.high && isAnything(pattern.high) ? undefined : pattern.high
  const low = lowWord && readEnd(lowWord, field, read)
  if (low && !low.ok) return low
  const high = highWord && readEnd(highWord, field, read)
  if (high && !high.ok) return high
  if (!low || !high || !pattern.separator) {
    return failed(rangeShape(term, pattern, lowWord, highWord))
  }
  return isReversed(low.value, high.value)
    ? failed(rangeReversed(pattern, lowWord, highWord))
    : { ok: true, type: 'range', low: low.value, high: high.value, lowWord, highWord }
}

function readEnd<T>(
  word: Word,
  field: Field,
  read: (text: string) => Reading<T>,
): { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Diagnostic } {
  const text = plainText(word)
  if (text === undefined) return failed(wildcardNotAllowed(word, field))
  const reading = read(text)
  return reading.ok ? reading : failed(valueProblem(word, reading.problem))
}

function failed(problem: Diagnostic): { readonly ok: false; readonly problem: Diagnostic } {
  return { ok: false, problem }
}
