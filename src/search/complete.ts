import {
  type AssistContext,
  type Completion,
  placed,
  type Suggestion,
} from './assist/completion.ts'
import { type Situation, situationAt } from './assist/situation.ts'
import { fieldSuggestions, valueSuggestions } from './assist/suggestions.ts'
import { check } from './check.ts'
import { parse } from './parse.ts'
import { leavesOf, type Query } from './tree.ts'
import { quoteValue } from './values/text.ts'

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
  const found = suggestions(query, situation, context)
  const words = situation.type === 'name' ? wordSuggestions(query, pos, context) : []
  // A sign or parenthesis right behind would become a part of what is written.
  const isTight = situation.type === 'name' && /[-!(]/.test(query.text[situation.to] ?? '')
  const all = found.map((suggestion) => placed(isTight ? apart(suggestion) : suggestion, situation))
  const isEnd = situation.type === 'value' && situation.inRange
  const placedOnes = isEnd ? withoutReversed(query, pos, context, all) : all
  const isName = found.some(({ kind }) => kind === 'field' || kind === 'keyword')
  // A name that is being typed is likelier than a word that nothing is known of.
  const likely = words.filter(({ isGuess }) => !isGuess || !isName)
  return [...likely.map(({ completion }) => completion), ...placedOnes]
}

/** With a space behind it that the caret stays before; a keyword has its own. */
function apart({ insert, caret = insert.length, ...suggestion }: Suggestion): Suggestion {
  return { ...suggestion, insert: `${insert.trimEnd()} `, caret }
}

/** Those of the completions of one end of a range that don't lie beyond its other end. */
function withoutReversed(
  { text, root }: Query,
  pos: number,
  { timeZone }: AssistContext,
  completions: readonly Completion[],
): readonly Completion[] {
  const term = leavesOf(root).findLast(({ from }) => from <= pos)
  if (term?.type !== 'term' || term.pattern.type !== 'range') return completions
  const end = term.pattern.closed ? '' : ']'
  return completions.filter(({ from, to, insert }) => {
    const written = text.slice(term.from, from) + insert + text.slice(to, term.to) + end
    const found = check(parse(written), timeZone === undefined ? {} : { timeZone })
    return found.every(({ code }) => code !== 'value.range-reversed')
  })
}

function wordSuggestions(
  query: Query,
  pos: number,
  { serverRelease, ...context }: AssistContext,
): { readonly completion: Completion; readonly isGuess: boolean }[] {
  const words = check(query, { ...context, serverRelease }).find(
    ({ code, from, to }) => code === 'syntax.free-text' && from < pos && pos <= to,
  )
  const [edit] = words?.fixes[0]?.edits ?? []
  if (edit === undefined || edit.insert === '') return []
  const written = quoteValue(query.text.slice(edit.from, edit.to))
  const isGuess = [`project:${written}`, `tag:${written}`].includes(edit.insert)
  const completion: Completion = {
    ...edit,
    label: edit.insert,
    kind: 'words',
    detail: 'search for these words',
  }
  return [{ completion, isGuess }]
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
