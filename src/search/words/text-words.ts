import type { TextPattern } from '../condition.ts'

/** What a pattern says of its text: `is main`, `does not begin with release/`. */
export function patternWords(pattern: TextPattern, positive: boolean): string {
  const [first, ...rest] = pattern
  if (rest.length === 0) return `${positive ? 'is' : 'is not'} ${valueText(first)}`
  const [verb, part] = verbOf(pattern)
  return `${positive ? verb.positive : `does not ${verb.plain}`} ${valueText(part)}`
}

/** The text of a pattern without wildcards. */
export function exactText(pattern: TextPattern): string | undefined {
  return pattern.length === 1 ? pattern[0] : undefined
}

/** A value as it stands in a sentence: in quotes where it could be taken for more or less than itself. */
export function valueText(value: string): string {
  const isPlain =
    /^[^\s,;()"]*[^\s,;()".:?!]$/.test(value) && !sentenceWords.has(value.toLowerCase())
  return isPlain ? value : `"${value}"`
}

/** A name as it stands in a sentence; spaces do no harm there. */
export function nameText(name: string): string {
  return /^[\p{L}\p{N}_./-]+(?: [\p{L}\p{N}_./-]+)*$/u.test(name) ? name : `"${name}"`
}

const sentenceWords = new Set(['and', 'or', 'not', 'is', 'either', 'both', 'that', 'whose'])

interface Verb {
  readonly positive: string
  readonly plain: string
}

const beginning: Verb = { positive: 'begins with', plain: 'begin with' }
const ending: Verb = { positive: 'ends with', plain: 'end with' }
const containing: Verb = { positive: 'contains', plain: 'contain' }
const likeness: Verb = { positive: 'looks like', plain: 'look like' }

function verbOf(pattern: TextPattern): [Verb, string] {
  const written = pattern.filter((part) => part !== '')
  const [part = ''] = written
  if (written.length !== 1 || pattern.length > 3) return [likeness, pattern.join('*')]
  if (pattern.length === 3)
    return pattern[1] === '' ? [likeness, pattern.join('*')] : [containing, part]
  return [pattern[0] === '' ? ending : beginning, part]
}
