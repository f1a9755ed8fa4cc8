import type { TextEdit } from '../diagnostic.ts'
import { genericFields } from '../fields/fields.ts'
import type { Span } from '../tree.ts'
import { quoteValue } from '../values/text.ts'
import type { AssistContext } from './completion.ts'
import { days } from './suggestions.ts'

/** Nobody types more words than fit into so many characters. */
const longest = 500

export interface WordsAround {
  /** The fields that a build must match already: it has one project and one user. The words' own join them. */
  readonly fields: Set<string>
  /** Whether something that can be joined stands directly before, or behind. */
  readonly before: boolean
  readonly behind: boolean
}

/**
 * The edits that make conditions of words which stand side by side without a field, each in its
 * place: a word becomes what it is known to be a value of, in the language or in the data that was
 * seen, and words that nothing is known of are one text. `&&` and `||` between conditions become `and`
 * and `or`. None where there is no word among them.
 */
export function wordEdits(
  text: string,
  span: Span,
  context: AssistContext,
  around: WordsAround,
): readonly TextEdit[] {
  if (span.to - span.from > longest) return []
  const taken = new Set(around.fields)
  const parts = partsOf(wordsIn(text, span), remembered(context), taken)
  for (const field of taken) around.fields.add(field)
  const lastPlain = parts.findLastIndex(({ joint }) => joint === undefined)
  if (parts.length === 0 || (lastPlain === -1 && !(around.before && around.behind))) return []
  return parts.map((part, index) => {
    const { from, to, joint } = part
    if (joint === undefined) return { from, to, insert: part.insert }
    const [last, next] = [parts[index - 1], parts[index + 1]]
    const isJoining =
      (last === undefined ? around.before : last.joint === undefined) &&
      (next === undefined ? around.behind : next.joint === undefined)
    if (isJoining) return { from, to, insert: joint }
    // With nothing to join it goes, and so does the space behind it, or before it at the end.
    return index < lastPlain
      ? { from, to: next?.from ?? to, insert: '' }
      : { from: last?.to ?? from, to, insert: '' }
  })
}

/** The same, counting the values of a field once. */
function remembered(context: AssistContext): AssistContext {
  const { values } = context
  if (values === undefined) return context
  const known = new Map<string, ReturnType<typeof values>>()
  return {
    ...context,
    values: (field, pair) => {
      const key = `${field} ${pair ?? ''}`
      const found = known.get(key) ?? values(field, pair)
      known.set(key, found)
      return found
    },
  }
}

/** Whether a word is a value that the language itself knows, such as an outcome. */
export function isKnownWord(word: string): boolean {
  return languageTerm(word.toLowerCase(), {}) !== undefined
}

interface Word extends Span {
  /** Without quotes around it, and punctuation behind it. */
  readonly plain: string
  readonly isQuoted: boolean
}

function wordsIn(text: string, { from, to }: Span): readonly Word[] {
  const found = text.slice(from, to).matchAll(/["“„][^"“”„\\]*["“”]|\S+/g)
  return [...found].map(({ 0: written, index }) => {
    const quoted = /^["“„](.*)["“”]$/s.exec(written)?.[1]
    return {
      from: from + index,
      to: from + index + written.length,
      plain: quoted ?? written.replace(/(?<=.)[,;]+$/, ''),
      isQuoted: quoted !== undefined,
    }
  })
}

/** A word, or several that are one value, and what is written in their place. */
interface Part extends Span {
  readonly insert: string
  readonly joint?: 'and' | 'or'
}

/** So many words side by side may be one value. */
const mostTogether = 4

function partsOf(
  words: readonly Word[],
  context: AssistContext,
  taken: Set<string>,
): readonly Part[] {
  const parts: Part[] = []
  let unknown: Word[] = []
  /** Where words begin that mean nothing by themselves, and go with what is behind them. */
  let idleFrom: number | undefined

  function add(part: Part): void {
    parts.push({ ...part, from: idleFrom ?? part.from })
    idleFrom = undefined
  }

  /** Words that nothing is known of are one value, without the idle ones around it. */
  function flush(isAllThereIs: boolean): void {
    const isKept = (word: Word): boolean => (isAllThereIs ? hasLetter(word) : !isIdle(word))
    const kept = unknown.slice(unknown.findIndex(isKept), unknown.findLastIndex(isKept) + 1)
    const [first] = unknown
    const last = unknown.at(-1)
    unknown = []
    if (first === undefined || last === undefined) return
    if (kept.length > 0) {
      const insert = unknownTerm(kept.map(({ plain }) => plain).join(' '), taken)
      add({ from: first.from, to: last.to, insert })
    } else idleFrom ??= first.from
  }

  for (let at = 0; at < words.length;) {
    const word = words[at]
    if (word === undefined) break
    const joint = word.isQuoted ? undefined : joints.get(word.plain)
    const known = joint === undefined ? knownAt(words, at, context, taken) : undefined
    if (joint !== undefined || known !== undefined) flush(false)
    if (joint !== undefined) {
      add({ from: word.from, to: word.to, insert: joint, joint })
      // Another alternative may be of the same field.
      if (joint === 'or') taken.clear()
    } else if (known !== undefined) add(known)
    else unknown.push(word)
    at += known?.words ?? 1
  }
  flush(parts.length === 0)
  const last = parts.at(-1)
  const end = words.at(-1)?.to
  if (idleFrom === undefined || last === undefined || end === undefined) return parts
  return [...parts.slice(0, -1), { ...last, to: end }]
}

const joints: ReadonlyMap<string, 'and' | 'or'> = new Map([
  ['&&', 'and'],
  ['&', 'and'],
  ['||', 'or'],
  ['|', 'or'],
])

/** Words that people put around values, and that exclude no build. */
const idleWords = new Set(
  'a all an at build builds by every find for from in is my of on only run runs show that the were which with'.split(
    ' ',
  ),
)

function isIdle(word: Word): boolean {
  return !hasLetter(word) || (!word.isQuoted && idleWords.has(word.plain.toLowerCase()))
}

function hasLetter({ plain }: Word): boolean {
  return /[\p{L}\p{N}]/u.test(plain)
}

/** The longest run of words from `at` that is known to be a value, as a condition. */
function knownAt(
  words: readonly Word[],
  at: number,
  context: AssistContext,
  taken: Set<string>,
): (Part & { readonly words: number }) | undefined {
  const first = words[at]
  const longest = first?.isQuoted === true ? 1 : Math.min(mostTogether, words.length - at)
  for (let count = longest; count > 0; count -= 1) {
    const run = words.slice(at, at + count)
    const last = run.at(-1)
    if (first === undefined || last === undefined || run.slice(1).some((word) => word.isQuoted))
      continue
    const phrase = run.map(({ plain }) => plain).join(' ')
    const folded = phrase.toLowerCase()
    const known =
      (count === 1 ? languageTerm(folded, context) : undefined) ?? seenTerm(folded, context, taken)
    const found =
      known ?? (count === 1 && !isIdle(first) ? likelyTerm(phrase, context, taken) : undefined)
    if (found === undefined) continue
    taken.add(found.field)
    return { from: first.from, to: last.to, insert: found.term, words: count }
  }
  return undefined
}

interface Meant {
  /** What a build has one of is not meant twice. */
  readonly field: string
  readonly term: string
}

/** Other words for the values of the language. */
const otherWords = new Map([
  ...['failing', 'failure', 'failures', 'fail', 'broken'].map((word) => [word, 'failed'] as const),
  ...['success', 'successful', 'passed', 'passing', 'succeed'].map(
    (word) => [word, 'succeeded'] as const,
  ),
])

/** A word that means the same whatever the data. */
function languageTerm(folded: string, context: AssistContext): Meant | undefined {
  const value = otherWords.get(folded) ?? folded
  for (const { name, values } of genericFields) {
    if (values?.includes(value) === true) return { field: name, term: `${name}:${value}` }
  }
  const day = days(context)[['today', 'yesterday'].indexOf(folded)]
  return day === undefined ? undefined : { field: 'buildStartTime', term: `buildStartTime:${day}` }
}

/** Where values are looked for, the likeliest first; of the branch, the pair that holds it. */
const searched = ['project', 'branch', 'user', 'tag', 'requested', 'hostname'] as const

/** Of these a build has several. */
const several: ReadonlySet<string> = new Set(['tag', 'requested'])

/** A value of the data that was seen: as a whole in any of the fields, else one that it begins. */
function seenTerm(
  folded: string,
  context: AssistContext,
  taken: ReadonlySet<string>,
): Meant | undefined {
  for (const field of searched) {
    if (isTaken(field, taken)) continue
    const value = seenIn(field, context).find((seen) => seen.toLowerCase() === folded)
    if (value !== undefined) return { field, term: termOf(field, value, context) }
  }
  return undefined
}

function likelyTerm(
  word: string,
  context: AssistContext,
  taken: ReadonlySet<string>,
): Meant | undefined {
  if (isTaskPath(word)) return { field: 'requested', term: `requested:${quoteValue(`*${word}*`)}` }
  if (!isTaken('branch', taken) && branchLike.test(word)) {
    return { field: 'branch', term: termOf('branch', word, context) }
  }
  if (!isTaken('user', taken) && /^[^@\s]+@[^@\s]+$/.test(word)) {
    return { field: 'user', term: termOf('user', word, context) }
  }
  const begins = (seen: string): boolean => seen.toLowerCase().startsWith(word.toLowerCase())
  if (word.length < 3 || isTaken('project', taken) || !seenIn('project', context).some(begins)) {
    return undefined
  }
  return { field: 'project', term: termOf('project', `${word}*`, context) }
}

const branchLike =
  /^(?:main|master|develop|trunk|(?:feature|bugfix|hotfix|release|renovate|dependabot)\/\S+)$/i

/** Whether a word is the path of a task, such as `:app:build`. */
export function isTaskPath(word: string): boolean {
  return /^:?[\w-]+(?::[\w-]+)+$|^:[\w-]+$/.test(word)
}

function isTaken(field: string, taken: ReadonlySet<string>): boolean {
  return taken.has(field) && !several.has(field)
}

/** Nothing is known of these words: a project, unless there is one already, else a tag. */
function unknownTerm(phrase: string, taken: Set<string>): string {
  const field = taken.has('project') ? 'tag' : 'project'
  taken.add(field)
  return `${field}:${quoteValue(phrase)}`
}

/** The names that plug-ins give to the branch, as the data spells them. */
function branchName({ values }: AssistContext): string {
  return (
    values?.('value').find(({ value }) => /^(?:git )?branch$/i.test(value))?.value ?? 'Git branch'
  )
}

function seenIn(field: string, context: AssistContext): readonly string[] {
  const { values } = context
  const seen = field === 'branch' ? values?.('value', branchName(context)) : values?.(field)
  return (seen ?? []).map(({ value }) => value)
}

function termOf(field: string, value: string, context: AssistContext): string {
  return field === 'branch'
    ? `value:${quoteValue(`${branchName(context)}=${value}`)}`
    : `${field}:${quoteValue(value)}`
}
