import type { Facts } from '../../protocol/facts.ts'

/**
 * What a text says of a build: the person, machine or project, a tag, a custom value, what was
 * requested, or what a field of its tool says of project or request in other words than those.
 */
export type TermKind = 'user' | 'hostname' | 'project' | 'tag' | 'value' | 'requested' | 'own'

/** Longer texts are found by their beginning. */
export const longestKey = 200

/**
 * A text as searches compare it: in JavaScript's lower case, so that every database agrees, without
 * what a database cannot hold (NUL, half a character), and cut.
 */
export function textKey(text: string): string {
  return text.toLowerCase().slice(0, longestKey).replace(unstorable, replacement)
}

/** Whether exactly the texts that fold to this one, itself folded, have it as their key: of a sigma there are two keys. */
export function isPlainKey(folded: string): boolean {
  const isOther = folded.includes(replacement) || /[σς]/.test(folded)
  return folded.length < longestKey && folded === textKey(folded) && !isOther
}

/** The key of a custom value. */
export function pairKey(name: string, value: string): string {
  return textKey(name) + separator + textKey(value)
}

/** Name and value of such a key again, as keys; the value is undefined in the beginning of one. */
export function splitPairKey(key: string): readonly [name: string, value: string | undefined] {
  const at = key.indexOf(separator)
  return at < 0 ? [key, undefined] : [key.slice(0, at), key.slice(at + separator.length)]
}

/** The text by which the database knows a key of a kind. */
export function termText(kind: TermKind, key: string): string {
  return prefixes[kind] + key
}

/** Sorts behind all terms that begin with this one, in the order of code points. */
export function endOfPrefix(term: string): string {
  return term + '\u{10ffff}'
}

/** The terms that a build is found by, each once. */
export function termsOf(facts: Facts): string[] {
  const terms = new Set<string>()
  const add = (kind: TermKind, text: string | null | undefined): void => {
    if (typeof text === 'string') terms.add(termText(kind, textKey(text)))
  }
  add('user', facts.user)
  add('hostname', facts.hostname)
  add('project', facts.project)
  for (const tag of facts.tags ?? []) add('tag', tag)
  for (const { name, value } of facts.values ?? []) {
    terms.add(termText('value', pairKey(name, value)))
  }
  for (const request of facts.requested ?? []) add('requested', request)
  add('requested', facts.requested?.join(' '))
  for (const [name, value] of Object.entries(facts.fields ?? {})) {
    if (value === null) continue
    const kind = ownWords.get(name.slice(name.indexOf('.') + 1))
    const key = textKey(String(value))
    if (kind !== undefined && !terms.has(termText(kind, key))) terms.add(termText('own', key))
  }
  return [...terms]
}

/** What the tools call project and request in their own fields (docs/services.md#tool-fields). */
export const ownWords: ReadonlyMap<string, 'project' | 'requested'> = new Map([
  ['rootProjectName', 'project'],
  ['topLevelProjectName', 'project'],
  ['projectName', 'project'],
  ['requestedTasks', 'requested'],
  ['requestedGoals', 'requested'],
  ['requestedTargets', 'requested'],
  ['requestedCommands', 'requested'],
])

const prefixes: Readonly<Record<TermKind, string>> = {
  user: 'u',
  hostname: 'h',
  project: 'p',
  tag: 't',
  value: 'v',
  requested: 'r',
  own: 'o',
}

/** NUL, halves of characters that have no other half beside them, and what is used here itself. */
const unstorable = /[\0\u007f\p{Surrogate}\u{10ffff}]/gu
const replacement = '\ufffd'
const separator = '\u007f'
