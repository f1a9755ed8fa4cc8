import type { Field } from '../field.ts'
import { quoteValue } from '../quote-value.ts'
import type { Suggestion } from './completion.ts'
import type { AssistContext } from './context.ts'

/** Values of a text field that are known beforehand or seen in the data, and hold what is typed. */
export function textSuggestions(
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
export function pairSuggestions(
  { name }: Field,
  typed: string,
  context: AssistContext,
): Suggestion[] {
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
