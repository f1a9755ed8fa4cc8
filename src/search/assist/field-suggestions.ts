import { compareReleases, type Field, type FieldType, toolLabel } from '../fields/field.ts'
import { fields } from '../fields/fields.ts'
import { leavesOf, type Query } from '../tree.ts'
import { plainText } from '../values/text.ts'
import type { Suggestion } from './completion.ts'

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
  const detail =
    tool === undefined ? typeWords[type] : `${typeWords[type]}, ${toolLabel(tool)} only`
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
      return [anyValue]
    case 'boolean':
      return [[':true', 'true'], [':false', 'false'], anyValue]
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

const anyValue = [':*', 'has a value'] as const

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
