import { findField } from '../fields.ts'
import type { Suggestion } from './completion.ts'
import type { AssistContext } from './context.ts'
import { instantSuggestions } from './instant-suggestions.ts'
import type { Situation } from './situation.ts'
import { pairSuggestions, textSuggestions } from './text-suggestions.ts'

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
