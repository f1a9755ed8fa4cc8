import { toolName } from '../../protocol/build-tool.ts'
import { compareReleases, type Field, type FieldType } from '../fields/field.ts'
import { fields, findField } from '../fields/fields.ts'
import { leavesOf, type Query } from '../tree.ts'
import { wallTime } from '../values/instant.ts'
import { plainText, quoteValue } from '../values/text.ts'
import { dateText, distanceWords, wallClockAt } from './amount-text.ts'
import type { AssistContext, Suggestion } from './completion.ts'
import type { Situation } from './situation.ts'

/**
 * The fields that what is typed finds: the best matches first; among equals generic ones, then those
 * of the tools that the query is about. With the whole name of a field typed, also its operators.
 * Retired fields, and those that the release of the server does not have yet, are left out.
 */
export function fieldSuggestions(
  query: Query,
  { typed, hasOperator }: { readonly typed: string; readonly hasOperator: boolean },
  serverRelease: string | undefined,
): Suggestion[] {
  const tools = toolsOf(query)
  const found: { readonly field: Field; readonly rank: number }[] = []
  for (const known of fields) {
    if (!isOffered(known, serverRelease)) continue
    const field = spelled(known, typed)
    const match = nameMatch(typed, field.name)
    if (match !== undefined) found.push({ field, rank: match * 3 + familyRank(field, tools) })
  }
  return found
    .sort((a, b) => a.rank - b.rank)
    .flatMap(({ field }) => {
      if (hasOperator) return [fieldSuggestion(field, field.name)]
      const own = fieldSuggestion(field, field.name + usualOperator[field.type])
      return field.name === typed ? [own, ...operatorSuggestions(field)] : [own]
    })
}

/** The settings of the server have two names: the one that is being typed is offered. */
function spelled(field: Field, typed: string): Field {
  if (!/(?:^|\.)deve/i.test(typed)) return field
  return { ...field, name: field.name.replace('.platformSettings.', '.develocitySettings.') }
}

function isOffered({ since, until }: Field, serverRelease: string | undefined): boolean {
  if (until !== undefined) return false
  if (since === undefined || serverRelease === undefined) return true
  return (compareReleases(since, serverRelease) ?? 0) <= 0
}

function familyRank({ tool }: Field, tools: ReadonlySet<string>): number {
  if (tool === undefined) return 0
  return tools.has(tool) ? 1 : 2
}

/** The tools that the query names, by `buildTool` or by their fields. */
function toolsOf(query: Query): ReadonlySet<string> {
  const tools = new Set<string>()
  for (const leaf of leavesOf(query.root)) {
    if (leaf.type === 'free-text') continue
    const [family = ''] = leaf.field.name.split('.')
    if (family !== leaf.field.name) tools.add(family)
    if (leaf.type === 'term' && family === 'buildTool' && leaf.pattern.type === 'word') {
      tools.add(plainText(leaf.pattern)?.toLowerCase() ?? '')
    }
  }
  return tools
}

function fieldSuggestion({ name, type, tool, meaning }: Field, insert: string): Suggestion {
  const detail = tool === undefined ? typeWords[type] : `${typeWords[type]}, ${toolName(tool)} only`
  return { label: name, insert, kind: 'field', detail, info: meaning }
}

/** What follows a name most often: a Boolean field needs nothing. */
const usualOperator: Readonly<Record<FieldType, string>> = {
  text: ':',
  pair: ':',
  duration: '>',
  instant: '>',
  boolean: '',
  number: '>',
  size: '>',
}

/** The other ways to go on behind a name. */
function operatorSuggestions({ name, type }: Field): Suggestion[] {
  const endings = endingsOf(type)
  return endings.map(([ending, detail]) => ({
    label: name + ending,
    insert: name + ending,
    kind: 'operator',
    detail,
    ...(ending === ':[ to ]' && { caret: name.length + 2 }),
  }))
}

function endingsOf(type: FieldType): readonly (readonly [ending: string, detail: string])[] {
  switch (type) {
    case 'text':
    case 'pair':
      return [hasValue]
    case 'boolean':
      return [[':true', 'true'], [':false', 'false'], hasValue]
    case 'instant':
      return [
        ['>=', 'at or after'],
        ['<', 'before'],
        ['<=', 'at or before'],
        [':', 'within the day, minute or second'],
        [':[ to ]', 'from one time to another, inclusive'],
      ]
    case 'duration':
    case 'number':
    case 'size':
      return [
        ['>=', 'at least'],
        ['<', 'less than'],
        ['<=', 'at most'],
        [':', 'exactly'],
        [':[ to ]', 'from one to another, inclusive'],
      ]
  }
}

const hasValue = [':*', 'has a value'] as const

/**
 * How well `typed` finds the name of a field, in any case of letters: 0 begins it, 1 begins a part
 * behind a dot, 2 begins a word in it, 3 is made of beginnings of its words (`conCaE`), 4 stands in
 * it; undefined does not find it. Nothing typed finds everything.
 */
function nameMatch(typed: string, name: string): number | undefined {
  const wanted = typed.toLowerCase()
  const folded = name.toLowerCase()
  if (folded.startsWith(wanted)) return 0
  if (folded.includes(`.${wanted}`)) return 1
  const words = name.match(/[A-Z]*[^A-Z.]*/g)?.filter((word) => word !== '') ?? []
  const starts = words.map((word) => word.toLowerCase())
  if (starts.some((_, index) => starts.slice(index).join('').startsWith(wanted))) return 2
  // One letter is in nearly every name.
  if (wanted.length < 2) return undefined
  if (isMadeOf(wanted, starts)) return 3
  return folded.includes(wanted) ? 4 : undefined
}

/** Whether a text is beginnings of some of the words, in their order. */
function isMadeOf(text: string, words: readonly string[]): boolean {
  let ends = new Set([0])
  for (const word of words) {
    const next = new Set(ends)
    for (const end of ends) {
      for (let length = 1; length <= word.length; length += 1) {
        if (text[end + length - 1] !== word[length - 1]) break
        next.add(end + length)
      }
    }
    ends = next
  }
  return ends.has(text.length)
}

/** What the values of a field are, in a word or two. */
const typeWords: Readonly<Record<FieldType, string>> = {
  text: 'text',
  pair: 'name=value',
  duration: 'duration',
  instant: 'time',
  boolean: 'true or false',
  number: 'number',
  size: 'size',
}

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

/** Today and the day before, on the clocks of the zone; none where the current time isn't known. */
export function days({ now, timeZone = 'UTC' }: AssistContext): string[] {
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
  const seen = (context.values?.(name) ?? []).map(({ value }) => value)
  const all = [...new Set([...seen, ...values])]
  return matching(all, typed).map((value) => suggestion(value, quoteValue(value)))
}

/**
 * Of a field of pairs the names seen in the data; with a name and its `=` typed, the values of that
 * name. Behind a chosen name the caret stays where its value goes, also inside quotes.
 */
function pairSuggestions({ name }: Field, typed: string, context: AssistContext): Suggestion[] {
  const equals = typed.indexOf('=')
  if (equals === -1) {
    const names = (context.values?.(name) ?? []).map(({ value }) => value)
    return matching(names, typed).map((value) => {
      const insert = quoteValue(`${value}=`)
      const isQuoted = insert.endsWith('"')
      return {
        ...suggestion(`${value}=`, insert),
        ...(isQuoted && { caret: insert.length - 1 }),
      }
    })
  }
  const pairName = typed.slice(0, equals)
  const values = (context.values?.(name, pairName) ?? []).map(({ value }) => value)
  return matching(values, typed.slice(equals + 1)).map((value) =>
    suggestion(value, quoteValue(`${pairName}=${value}`)),
  )
}

function suggestion(label: string, insert: string): Suggestion {
  return { label, insert, kind: 'value' }
}

/** Those that begin with what is typed, then those that hold it; in any case of letters. */
function matching(items: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase()
  const beginning: string[] = []
  const holding: string[] = []
  for (const item of items) {
    const at = item.toLowerCase().indexOf(wanted)
    if (at === 0) beginning.push(item)
    else if (at > 0) holding.push(item)
  }
  return [...beginning, ...holding].slice(0, most)
}

/** A list that is longer than this is narrowed by typing, not by reading. */
const most = 100
