import type { Field, FieldType } from '../field.ts'
import { fields } from '../fields.ts'
import { leavesOf } from '../leaves.ts'
import { compareReleases } from '../release.ts'
import type { Query } from '../tree.ts'
import { plainText } from '../values/text.ts'
import { toolLabel } from '../words/tool-label.ts'
import { typeWords } from '../words/type-words.ts'
import type { Suggestion } from './completion.ts'
import { nameMatch } from './name-match.ts'

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
