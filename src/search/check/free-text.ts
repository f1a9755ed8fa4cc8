import { rewrite } from './condition-diagnostics.ts'
import { presenceOf } from './field-checks.ts'
import { isTaskPath, wordEdits } from '../assist/word-conditions.ts'
import type { AssistContext } from '../assist/completion.ts'
import {
  applyEdits,
  type Diagnostic,
  error,
  type Fix,
  type Place,
  removal,
  type TextEdit,
} from '../diagnostic.ts'
import type { Field } from '../fields/field.ts'
import { findField, genericFields } from '../fields/fields.ts'
import { parse } from '../parse.ts'
import {
  type Expression,
  type Flag,
  type FreeText,
  leavesOf,
  type Span,
  type Term,
} from '../tree.ts'
import { readCondition } from '../values/read-condition.ts'
import { quoteValue } from '../values/text.ts'
import { shown } from '../values/reading.ts'

/**
 * Words that belong to no field; the language has no search over everything. The first fix makes
 * conditions of them, as far as `context` knows what they are. `fields` are those that a build must
 * match beside them already; those of the conditions join them.
 */
export function freeText(
  span: Span,
  text: string,
  place: Place,
  context: AssistContext,
  fields: Set<string>,
): Diagnostic {
  const written = text.slice(span.from, span.to)
  const presence = presenceOf(/^_exists_:(\S+)$/.exec(written)?.[1] ?? '')
  if (presence !== undefined) {
    const message = `${shown(written)} isn't a term. Use ${shown(presence)} to match any value.`
    return error(span, 'syntax.free-text', message, [rewrite(span, presence)])
  }
  const conditions = wordsAsConditions(span, text, place, context, fields)
  const terms = /[\p{L}\p{N}]/u.test(written) ? termsWith(written) : []
  const instead = [...new Set([...conditions, ...terms])]
  const joined = terms.length === 0 ? undefined : joinedValue(span, text, place, context)
  const first = joined?.isMeant === true ? joined.value : instead[0]
  const message =
    first === undefined
      ? 'stands alone. Attach it to the term it belongs to, or remove it.'
      : terms.length === 0
        ? `isn't an operator. Use ${first}.`
        : `has no field. Add one, such as ${shown(first)}.`
  const fixes = instead.map((term) => rewrite(span, term))
  if (joined !== undefined) fixes.splice(joined.isMeant ? 0 : 1, 0, joined.fix)
  return error(
    span,
    'syntax.free-text',
    `${shown(written)} ${message}`,
    first === undefined ? [removing(span, text, place)] : fixes,
  )
}

/**
 * `user:grace hopper` and `buildStartTime>2026-11-25 10:00`: the words as the end of the value before them, with what
 * that takes. It is meant where nothing else makes sense of them, or where such a value was seen.
 */
function joinedValue(
  { from, to }: Span,
  text: string,
  { combination, index }: Place,
  { values }: AssistContext,
): { readonly value: string; readonly isMeant: boolean; readonly fix: Fix } | undefined {
  const part = combination?.type === 'and' ? combination.operands[index - 1] : undefined
  const term = part?.type === 'not' ? part.operand : part
  if (term?.type !== 'term' || term.pattern.type !== 'word') return undefined
  const field = findField(term.field.name)
  const start = term.pattern.from
  const written = text.slice(start, to)
  const isOneLine = /^[^\n"“”„\\()]{1,200}$/.test(written) && isSpace(text.slice(term.to, from))
  if (field === undefined || !isOneLine) return undefined
  const found = (value: string, isMeant: boolean) => {
    const fix = rewrite(
      { from: start, to },
      value,
      `Change to ${shown(field.name + text.slice(term.operator.from, start) + value)}`,
    )
    return { value: text.slice(term.field.from, start) + value, isMeant, fix }
  }
  if (field.type === 'text' && /^'[^']+'$/.test(written)) {
    return found(quoteValue(written.slice(1, -1)), true)
  }
  if (field.type === 'text') {
    const seen = values?.(field.name) ?? []
    return found(
      quoteValue(written),
      seen.some(({ value }) => value.toLowerCase() === written.toLowerCase()),
    )
  }
  const value = ['T', '']
    .map((joint) => written.replace(/ +/g, joint))
    .find((one) => {
      const { root, faults } = parse(text.slice(term.field.from, start) + one)
      return faults.length === 0 && root?.type === 'term' && readCondition(root, field).ok
    })
  return value === undefined ? undefined : found(value, true)
}

/** What the words become as conditions, as one text; none where nothing would stand in their place. */
function wordsAsConditions(
  span: Span,
  text: string,
  { combination, index, last = index }: Place,
  context: AssistContext,
  fields: Set<string>,
): readonly string[] {
  const operands = combination?.type === 'and' ? combination.operands : []
  const [before, behind] = [operands[index - 1], operands[last + 1]]
  const edits = wordEdits(text, span, context, {
    fields,
    before: canBeJoined(before, text) && isSpace(text.slice(before.to, span.from)),
    behind: canBeJoined(behind, text) && isSpace(text.slice(span.to, behind.from)),
  })
  const conditions = applyEdits(text.slice(span.from, span.to), shifted(edits, -span.from))
  return edits.length === 0 || isSpace(conditions) ? [] : [conditions]
}

/** Operators that stand alone, also negated or in parentheses, are to be removed themselves. */
function canBeJoined(part: Expression | undefined, text: string): part is Expression {
  return (
    part !== undefined &&
    leavesOf(part).some(
      ({ type, from, to }) => type !== 'free-text' || /[\p{L}\p{N}]/u.test(text.slice(from, to)),
    )
  )
}

function shifted(edits: readonly TextEdit[], by: number): readonly TextEdit[] {
  return edits.map(({ from, to, insert }) => ({ from: from + by, to: to + by, insert }))
}

/** The terms that look for a text in the fields that people mean most, the likeliest first. */
export function termsWith(written: string): string[] {
  const plain = /^["“„]([^"“”„\\]*)["“”]$/.exec(written)?.[1] ?? written
  const folded = plain.toLowerCase()
  const requested = `requested:${quoteValue(`*${plain}*`)}`
  const others = [`project:${quoteValue(plain)}`, `tag:${quoteValue(plain)}`]
  return [
    ...genericFields.flatMap(({ name, values }) =>
      values?.includes(folded) ? [`${name}:${folded}`] : [],
    ),
    // `:app:build` is a task.
    ...(isTaskPath(plain) ? [requested, ...others] : [...others, requested]),
  ]
}

/** `buildDuration > 5m`: how many words only spaces keep from being a term; undefined where they are none. */
export function spacedOperator(
  name: Flag,
  [operator, value]: readonly (Expression | undefined)[],
  text: string,
): { readonly diagnostic: Diagnostic; readonly words: number } | undefined {
  if (operator?.type !== 'free-text') return undefined
  const written = text.slice(operator.from, operator.to)
  if (!beginsOperator.test(written) || !isSpace(text.slice(name.to, operator.from)))
    return undefined
  const isAlone = isOperator.test(written)
  const takesValue =
    isAlone &&
    isWord(value) &&
    text[value.from] !== '[' &&
    isSpace(text.slice(operator.to, value.from))
  const to = takesValue ? value.to : operator.to
  // An operator of other languages becomes the one of this language in the same step.
  const other = /^(?:!=|<>|:?={1,2})/.exec(written)?.[0]
  const edits: readonly TextEdit[] = [
    ...(other === '!=' || other === '<>' ? [{ from: name.from, to: name.from, insert: '-' }] : []),
    {
      from: name.to,
      to: operator.from + (other?.length ?? 0),
      insert: other === undefined ? '' : ':',
    },
    ...(takesValue ? [{ from: operator.to, to: value.from, insert: '' }] : []),
  ]
  const meant = applyEdits(text.slice(name.from, to), shifted(edits, -name.from))
  const diagnostic: Diagnostic = error(
    { from: name.from, to },
    'syntax.space-around-operator',
    `Write ${shown(meant)} without spaces.`,
    [{ label: other === undefined ? 'Remove the spaces' : `Change to ${shown(meant)}`, edits }],
  )
  return { diagnostic, words: takesValue ? 3 : 2 }
}

const beginsOperator = /^(?:[:<>=]|!=)[^[]*$/
const isOperator = /^(?::|:?(?:[<>]=?|<>|!?==?))$/

/** `user: dylan` and `buildDuration: > 5m`: only spaces keep a term from its value; undefined where none follows. */
export function spacedValue(
  { field, pattern, from }: Term,
  following: readonly (Expression | undefined)[],
  text: string,
): Diagnostic | undefined {
  const edits: TextEdit[] = []
  let to = pattern.from
  for (const next of following) {
    if (!isWord(next) || !isSpace(text.slice(to, next.from))) return undefined
    const written = text.slice(next.from, next.to)
    edits.push({ from: to, to: next.from, insert: '' })
    to = next.to
    if (isOperator.test(written)) continue
    if (!written.startsWith('[')) break
    // Only a range that is closed, and only the words of one.
    const range = /^\[[^\s()"“”„[\]]+ +to +[^\s()"“”„[\]]+\]/i.exec(
      text.slice(next.from, next.from + 200),
    )
    if (!range) return undefined
    to = next.from + range[0].length
    break
  }
  if (to === pattern.from || isOperator.test(text.slice(edits.at(-1)?.to, to))) return undefined
  return error(
    { from, to },
    'syntax.space-after-colon',
    `There's a space between ${shown(field.name)} and its value. Remove it.`,
    [{ label: 'Remove the space', edits }],
  )
}

function isWord(part: Expression | undefined): part is FreeText | Flag {
  return part?.type === 'free-text' || part?.type === 'flag'
}

/** `tag:(a or b)`: a field before a group of words, as other languages have it; undefined for all else. */
export function spacedGroup(
  { field, operator, pattern, from }: Term,
  next: Expression | undefined,
  text: string,
): Diagnostic | undefined {
  if (next?.type !== 'group' || !isSpace(text.slice(pattern.from, next.from))) return undefined
  const words = leavesOf(next)
  const areValues = words.every(
    (word) => word.type !== 'term' && /[\p{L}\p{N}"*]/u.test(text.charAt(word.from)),
  )
  if (words.length === 0 || !areValues) return undefined
  const name = text.slice(from, operator.to)
  return error(
    { from, to: next.to },
    'syntax.missing-value',
    `${shown(field.name)} takes one value. Repeat ${shown(name)} before each value.`,
    [
      {
        label: `Repeat ${shown(name)}`,
        edits: [
          { from, to: next.from, insert: '' },
          ...words.map((word) => ({ from: word.from, to: word.from, insert: name })),
        ],
      },
    ],
  )
}

/** `user` alone: only a Boolean field is a question by itself. `next` may be its value. */
export function notBoolean(
  { from, to }: Span,
  { name }: Field,
  next: Expression | undefined,
  text: string,
): Diagnostic {
  const isValue =
    next?.type === 'flag' && !findField(next.field.name) && isSpace(text.slice(to, next.from))
  const value = isValue ? text.slice(next.from, next.to) : ''
  return error(
    { from, to },
    'field.not-boolean',
    `${name} needs a value. Add one, or use ${name}:* to match any value.`,
    [
      ...(isValue
        ? [rewrite({ from: to, to: next.from }, ':', `Change to ${name}:${shown(value)}`)]
        : []),
      rewrite({ from: to, to }, ':*', `Change to ${name}:*`),
    ],
  )
}

/** Curly quotes in the words of a term: they are text, and were surely meant as quotes. */
export function curlyQuotes(
  { from, to }: Span,
  text: string,
): Omit<Diagnostic, 'severity'> | undefined {
  const written = text.slice(from, to)
  const curly = [...written.matchAll(/[“”„]/g)].map(({ index }) => from + index)
  if (curly.length === 0) return undefined
  // In pairs, and with nothing to mix them up with, they are surely quotes.
  const insert = curly.length % 2 === 0 && !/["\\]/.test(written) ? '"' : ''
  const fix: Fix = {
    label: insert === '' ? 'Remove the curly quotes' : 'Use straight quotes',
    edits: curly.map((at) => ({ from: at, to: at + 1, insert })),
  }
  return {
    from: curly[0] ?? from,
    to: (curly.at(-1) ?? from) + 1,
    code: 'syntax.curly-quotes',
    message: 'Curly quotes are treated as text. Use straight quotes: ".',
    fixes: insert === '' && /[\s()]/.test(written) ? [] : [fix],
  }
}

/** A word in single quotes, which are text, and were surely meant as quotes. */
export function singleQuotes(word: Span, text: string): Omit<Diagnostic, 'severity'> | undefined {
  const inner = /^'([^'"\\]*)'$/.exec(text.slice(word.from, word.to))?.[1]
  if (inner === undefined) return undefined
  const message = 'Single quotes are treated as text. Use double quotes: ".'
  const fixes = [rewrite(word, quoteValue(inner))]
  return { from: word.from, to: word.to, code: 'syntax.single-quotes', message, fixes }
}

/** The fix that takes a part out. */
export function removing({ from, to }: Span, text: string, place: Place): Fix {
  return { label: `Remove ${shown(text.slice(from, to))}`, edits: [removal(place, text)] }
}

function isSpace(text: string): boolean {
  return text.trim() === ''
}
