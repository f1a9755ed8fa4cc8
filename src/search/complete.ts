import {
  type AssistContext,
  type Completion,
  placed,
  type Suggestion,
} from './assist/completion.ts'
import { fieldSuggestions } from './assist/field-suggestions.ts'
import { type Situation, situationAt } from './assist/situation.ts'
import { valueSuggestions } from './assist/value-suggestions.ts'
import { parse } from './parse.ts'
import type { Query } from './tree.ts'

/**
 * What can be written at a position (UTF-16 offset) of a query, the likeliest first: fields with their
 * operators, values, keywords. Already narrowed to what is typed, also in the middle of a word. Each
 * takes the place of the whole token under the position. Nothing behind a value that is complete, or in
 * a number. Takes the text, or the query where it is parsed already.
 */
export function complete(
  source: string | Query,
  pos: number,
  context: AssistContext = {},
): Completion[] {
  const query = typeof source === 'string' ? parse(source) : source
  const situation = situationAt(query, pos)
  if (situation.type === 'complete') return []
  return suggestions(query, situation, context).map((suggestion) => placed(suggestion, situation))
}

function suggestions(
  query: Query,
  situation: Exclude<Situation, { type: 'complete' }>,
  context: AssistContext,
): Suggestion[] {
  switch (situation.type) {
    case 'name':
      return [
        ...keywordSuggestions(query.text, situation, situation.keywords),
        ...fieldSuggestions(query, situation, context.serverRelease),
      ]
    case 'value':
      return valueSuggestions(situation, context)
    case 'range-separator':
      return keywordSuggestions(query.text, situation, ['to'])
  }
}

function keywordSuggestions(
  text: string,
  { typed, to }: { readonly typed: string; readonly to: number },
  keywords: readonly (keyof typeof keywordWords)[],
): Suggestion[] {
  const space = /^\s/.test(text.slice(to)) ? '' : ' '
  return keywords
    .filter((keyword) => keyword.startsWith(typed.toLowerCase()))
    .map((keyword) => ({
      label: keyword,
      insert: keyword + space,
      kind: 'keyword',
      detail: keywordWords[keyword],
    }))
}

const keywordWords = {
  and: 'both sides must match',
  or: 'at least one side must match',
  not: 'must not match',
  to: 'between the ends of a range',
} as const
