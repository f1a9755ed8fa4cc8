import type { Field } from '../fields/field.ts'
import { findField } from '../fields/fields.ts'
import { wallTime } from '../values/instant.ts'
import { quoteValue } from '../values/text.ts'
import { dateText, distanceWords, wallClockAt } from './amount-text.ts'
import type { AssistContext, Suggestion } from './completion.ts'
import type { Situation } from './situation.ts'

/** What can stand for a value, by the type of its field; what is seen in the data most often first. */
export function valueSuggestions(
  { fieldName, typed, operator, inRange }: Extract<Situation, { type: 'value' }>,
  context: AssistContext,
): Suggestion[] {
  const field = findField(fieldName)
  if (!field) return []
  const isEquality = operator === ':' && !inRange
  switch (field.type) {
    case 'text':
      return isEquality ? [...textSuggestions(field, typed, context), ...anyValue(typed)] : []
    case 'pair':
      return isEquality ? [...pairSuggestions(field, typed, context), ...anyValue(typed)] : []
    case 'boolean':
      return isEquality ? [...booleanSuggestions(typed), ...anyValue(typed)] : []
    case 'instant':
      return instantSuggestions(typed, { isEquality }, context)
    // Nobody can guess how a number goes on.
    case 'duration':
      return typed === '' ? durations : []
    case 'size':
      return typed === '' ? sizes : []
    case 'number':
      return typed === '' ? textSuggestions(field, typed, context) : []
  }
}

const durations = [
  example('30s', '30 seconds'),
  example('1m', '1 minute'),
  example('5m', '5 minutes'),
  example('30m', '30 minutes'),
  example('1h', '1 hour'),
  example('1h30m', '1 hour 30 minutes'),
]

const sizes = [
  example('512mi', '512 MiB'),
  example('1gi', '1 GiB, 1024 MiB'),
  example('1g', '1 GB, 1000 MB'),
  example('4gi', '4 GiB'),
]

function booleanSuggestions(typed: string): Suggestion[] {
  return [example('true', ''), example('false', 'false')].filter(({ label }) =>
    label.startsWith(typed.toLowerCase()),
  )
}

function anyValue(typed: string): Suggestion[] {
  return typed === '' ? [example('*', 'has a value')] : []
}

function example(text: string, detail: string): Suggestion {
  return { label: text, insert: text, kind: 'value', ...(detail !== '' && { detail }) }
}

/** Common moments: some time ago, and today and yesterday where the current time is known. */
function instantSuggestions(
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

/** Values of a text field that are known beforehand or seen in the data, and hold what is typed. */
function textSuggestions(
  { name, values = [] }: Field,
  typed: string,
  context: AssistContext,
): Suggestion[] {
  const counts = new Map<string, number | undefined>()
  for (const { value, count } of context.values?.(name) ?? []) counts.set(value, count)
  for (const value of values) if (!counts.has(value)) counts.set(value, undefined)
  return matching([...counts], typed, ([value]) => value).map(([value, count]) =>
    suggestion(value, quoteValue(value), count),
  )
}

/**
 * Of a field of pairs the names seen in the data; with a name and its `=` typed, the values of that
 * name. Behind a chosen name the caret stays where its value goes, also inside quotes.
 */
function pairSuggestions({ name }: Field, typed: string, context: AssistContext): Suggestion[] {
  const equals = typed.indexOf('=')
  if (equals === -1) {
    const names = context.values?.(name) ?? []
    return matching(names, typed, ({ value }) => value).map(({ value, count }) => {
      const insert = quoteValue(`${value}=`)
      const isQuoted = insert.endsWith('"')
      return {
        ...suggestion(`${value}=`, insert, count),
        ...(isQuoted && { caret: insert.length - 1 }),
      }
    })
  }
  const pairName = typed.slice(0, equals)
  const values = context.values?.(name, pairName) ?? []
  return matching(values, typed.slice(equals + 1), ({ value }) => value).map(({ value, count }) =>
    suggestion(value, quoteValue(`${pairName}=${value}`), count),
  )
}

function suggestion(label: string, insert: string, count: number | undefined): Suggestion {
  return { label, insert, kind: 'value', ...(count !== undefined && { count }) }
}

/** Those that begin with what is typed, then those that hold it; in any case of letters. */
function matching<T>(items: readonly T[], typed: string, textOf: (item: T) => string): T[] {
  const wanted = typed.toLowerCase()
  const beginning: T[] = []
  const holding: T[] = []
  for (const item of items) {
    const at = textOf(item).toLowerCase().indexOf(wanted)
    if (at === 0) beginning.push(item)
    else if (at > 0) holding.push(item)
  }
  return [...beginning, ...holding].slice(0, most)
}

/** A list that is longer than this is narrowed by typing, not by reading. */
const most = 100
